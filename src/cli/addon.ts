import { Command, Option } from 'commander'
import { calledBy, inCalledForm } from './called.ts'
import { outputOption } from './output.ts'
import { withHubSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

interface AddonOptions {
  clusters?: string
  cluster?: string
  namespace?: string
  output: 'table' | 'json'
}

const enableExamples = `
Examples:
  lanyard addon enable hello --clusters west,east           its agent gets a credential there once the add-on asks for one
  lanyard addon enable hello --clusters west --namespace monitoring
  lanyard describe addon west/hello                         what became of it`

const disableExamples = `
Examples:
  lanyard addon disable hello --clusters west,east   its account on the hub and its Secrets on the clusters go too`

const rbacExamples = `
Examples:
  lanyard addon rbac hello                       a Role and a RoleBinding to fill in; no hub is asked
  lanyard addon rbac hello --cluster west        the same for one cluster
  lanyard addon rbac hello --cluster west -o json`

export function addonCommand(stop: Stop): Command {
  const enable = onClusters('enable')
    .description('Put an add-on on clusters.')
    .option('--namespace <name>', 'where on the clusters (default: as the add-on says)')
    .addHelpText('after', enableExamples)
    .action((name: string, options: AddonOptions, command: Command) => enableOn(name, options, command, stop))
  const disable = onClusters('disable')
    .description('Take an add-on off clusters.')
    .addHelpText('after', disableExamples)
    .action((name: string, options: AddonOptions, command: Command) => disableOn(name, options, command, stop))
  const rbac = new Command('rbac')
    .description('Print the rights of an add-on on the hub as a template: what its author fills in and applies.')
    .argument('<name>', 'the add-on')
    .option('--cluster <name>', 'for this cluster (default: a word to replace)')
    .addOption(new Option('-o, --output <format>', 'how it is printed').choices(['yaml', 'json']).default('yaml'))
    .addHelpText('after', rbacExamples)
    .action(printRbac)
  return new Command('addon')
    .description('Put add-ons on clusters, take them off, and give them rights.')
    .addCommand(enable)
    .addCommand(disable)
    .addCommand(rbac)
}

const onClusters = (verb: string): Command =>
  withHubSettings(new Command(verb), ['namespace'])
    .argument('<name>', 'the add-on')
    .option('--clusters <names>', 'the clusters, separated by commas')
    .option('--cluster <name>', 'the same, for one')
    .addOption(outputOption(['table', 'json']))

async function enableOn(addon: string, options: AddonOptions, command: Command, stop: Stop): Promise<void> {
  const [{ operateOnEach, withHub }, { enableAddon }, { checkAddonName }] = await Promise.all([
    import('./operate.ts'),
    import('../addons/operations/enable.ts'),
    import('../addons/operations/names.ts'),
  ])
  checkAddonName(addon)
  const clusters = await clustersOf(options)
  const { namespace, output } = options
  await withHub(command, stop, async ({ client: kube }, { signal }) => {
    const steps = (cluster: string) => enableAddon({ addon, cluster, namespace }, { kube, signal })
    await operateOnEach(clusters, steps, { done: `given ${addon}`, output, signal, called: calledBy(command) })
  })
  if (output === 'table') {
    const next = `See how it gets on: lanyard describe addon ${clusters[0]}/${addon}\n`
    process.stdout.write(inCalledForm(next, calledBy(command)))
  }
}

async function disableOn(addon: string, options: AddonOptions, command: Command, stop: Stop): Promise<void> {
  const [{ operateOnEach, withHub }, { disableAddon }] = await Promise.all([
    import('./operate.ts'),
    import('../addons/operations/disable.ts'),
  ])
  const clusters = await clustersOf(options)
  await withHub(command, stop, ({ client: kube }, { signal }) =>
    operateOnEach(clusters, (cluster) => disableAddon({ addon, cluster }, { kube, signal }), {
      done: `rid of ${addon}`,
      output: options.output,
      signal,
      called: calledBy(command),
    }),
  )
}

async function clustersOf({ clusters, cluster }: AddonOptions): Promise<string[]> {
  const [{ clusterNames }, { failures }] = await Promise.all([
    import('./operate.ts'),
    import('../addons/operations/failures.ts'),
  ])
  const names = clusterNames([], [clusters, cluster])
  if (names.length === 0) throw failures.ADDON_CLUSTERS_NOT_NAMED()
  return names
}

async function printRbac(addon: string, { cluster, output }: { cluster?: string; output: 'yaml' | 'json' }) {
  const { rbacTemplate } = await import('../addons/operations/rbac-template.ts')
  const { role, binding, yaml } = rbacTemplate(addon, cluster)
  const list = { apiVersion: 'v1', kind: 'List', items: [role, binding] }
  process.stdout.write(output === 'json' ? `${JSON.stringify(list, null, 2)}\n` : yaml)
}
