import { Command } from 'commander'
import type { ClusterOverview } from '../registration/overview/cluster-overview.ts'
import { calledBy } from './called.ts'
import type { AccessKind } from './get-access.ts'
import type { OutputFormat } from './output.ts'
import { outputOption } from './output.ts'
import { withHubSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'
import type { TableColumn } from './table.ts'
import { formatSpan } from './table.ts'

interface GetOptions {
  output: OutputFormat
  watch?: boolean
  clusterset?: string
}

interface GetAddonOptions {
  output: OutputFormat
  cluster?: string
}

const examples = `
Examples:
  lanyard get clusters                   every cluster, how it stands and how long its certificate is good for
  lanyard get clusters west east -o wide some of them, with version, size and address
  lanyard get clusters --watch           again whenever one of them changes
  lanyard get clusters -o json           for a program to read`

const addonExamples = `
Examples:
  lanyard get addons                     every add-on on every cluster, and how long its credential is good for
  lanyard get addons --cluster west      those of one cluster
  lanyard get addons hello -o wide       one of them, with who it is on the hub and where its Secrets are
  lanyard get addons -o json             for a program to read`

const configExamples = `
Examples:
  lanyard get clusterconfigs                  every way into a cluster, whether it works, and why not
  lanyard get clusterconfigs west -o wide     one of them, with its whole fingerprint and its Secrets
  lanyard get clusterconfigs -o json          for a program to read`

const accessDescriptions: Readonly<Record<AccessKind, string>> = {
  escalations: 'What people may ask for, one a line.',
  sessions: 'What they asked for, whoever they are, one a line.',
  denypolicies: 'What is forbidden whatever anybody approves, one a line.',
  identityproviders: 'Where people log in, one a line.',
}

export function getCommand(stop: Stop): Command {
  const clusters = withHubSettings(new Command('clusters'))
    .alias('cluster')
    .description('The clusters of the fleet, one a line.')
    .argument('[names...]', 'only these')
    .option('--clusterset <name>', 'only those of this set')
    .option('-w, --watch', 'print again what changes, until Ctrl-C')
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((names: string[], options: GetOptions, command: Command) => getClusters(names, options, command, stop))
  const addons = withHubSettings(new Command('addons'))
    .alias('addon')
    .description('The add-ons of the fleet, one a line for each cluster.')
    .argument('[names...]', 'only these')
    .option('--cluster <name>', 'only those of this cluster')
    .addOption(outputOption())
    .addHelpText('after', addonExamples)
    .action((names: string[], options: GetAddonOptions, command: Command) => getAddons(names, options, command, stop))
  const configs = withHubSettings(new Command('clusterconfigs'))
    .aliases(['clusterconfig', 'ccfg'])
    .description('The ways of the hub into its clusters, one a line.')
    .argument('[names...]', 'only these')
    .addOption(outputOption())
    .addHelpText('after', configExamples)
    .action(async (names: string[], { output }: { output: OutputFormat }, command: Command) =>
      (await import('./reach-act.ts')).listAll(names, output, command, stop),
    )
  const command = new Command('get')
    .description('Show what is there.')
    .addCommand(clusters)
    .addCommand(addons)
    .addCommand(configs)
  for (const [kind, description] of Object.entries(accessDescriptions) as [AccessKind, string][])
    command.addCommand(
      withHubSettings(new Command(kind))
        .description(description)
        .argument('[names...]', 'only these')
        .addOption(outputOption())
        .action(async (names: string[], { output }: { output: OutputFormat }, self: Command) =>
          (await import('./get-access.ts')).getAccess(kind, names, output, self, stop),
        ),
    )
  return command
}

/** What people ask of a cluster at a glance. */
export const clusterColumns = (now: () => Date): readonly TableColumn<ClusterOverview>[] => [
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'STAGE', cell: ({ stage }) => stage },
  { heading: 'ACCEPTED', cell: ({ isAccepted }) => (isAccepted ? 'yes' : 'no') },
  { heading: 'JOINED', cell: ({ isJoined }) => (isJoined ? 'yes' : 'no') },
  { heading: 'AVAILABLE', cell: ({ available }) => available },
  { heading: 'CERTIFICATE', cell: ({ certificateExpiresAt }) => leftOf(certificateExpiresAt, now()) },
  { heading: 'HEARD', cell: ({ heardAt }) => heardAt && `${formatSpan(now().getTime() - heardAt.getTime())} ago` },
  { heading: 'SETS', cell: ({ sets }) => sets.join(',') },
  { heading: 'AGE', cell: ({ createdAt }) => formatSpan(now().getTime() - createdAt.getTime()) },
  { heading: 'AGENT', cell: ({ agent }) => agent, wide: true },
  { heading: 'DRIVER', cell: ({ driver }) => driver, wide: true },
  { heading: 'REQUESTS', cell: ({ pendingRequests }) => pendingRequests.join(','), wide: true },
  { heading: 'KUBERNETES', cell: ({ kubernetes }) => kubernetes, wide: true },
  { heading: 'CPU', cell: ({ capacity }) => capacity['cpu'], wide: true },
  { heading: 'MEMORY', cell: ({ capacity }) => capacity['memory'], wide: true },
  { heading: 'URLS', cell: ({ urls }) => urls.join(','), wide: true },
  { heading: 'ARN', cell: ({ managedClusterArn }) => managedClusterArn, wide: true },
]

const leftOf = (expiresAt: Date | undefined, now: Date): string | undefined =>
  expiresAt && (expiresAt <= now ? 'expired' : `${formatSpan(expiresAt.getTime() - now.getTime())} left`)

async function getClusters(names: string[], options: GetOptions, command: Command, stop: Stop): Promise<void> {
  const [{ withHub }, { showClusters }] = await Promise.all([import('./operate.ts'), import('./get-clusters.ts')])
  const print = (text: string) => void process.stdout.write(text)
  await withHub(command, stop, ({ client: kube }, deps) =>
    showClusters({ ...options, names, kube, print, called: calledBy(command) }, deps),
  )
}

async function getAddons(names: string[], options: GetAddonOptions, command: Command, stop: Stop): Promise<void> {
  const [{ withHub }, { showAddons }] = await Promise.all([import('./operate.ts'), import('./get-addons.ts')])
  await withHub(command, stop, async ({ client: kube }, deps) => {
    process.stdout.write(await showAddons({ ...options, names, kube, called: calledBy(command) }, deps))
  })
}
