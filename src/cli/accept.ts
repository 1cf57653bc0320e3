import { Command } from 'commander'
import type { AcceptChoices } from '../registration/operations/accept-plan.ts'
import { wholeNumber } from './flag-values.ts'
import { outputOption } from './output.ts'
import { withHubSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

interface AcceptOptions {
  all?: boolean
  clusters?: string
  cluster?: string
  agent?: string
  csr?: string
  replaceAgent?: boolean
  requesters?: string
  skipApproveCheck?: boolean
  wait?: boolean
  timeout: number
  output: 'table' | 'json'
}

const examples = `
Examples:
  lanyard accept west                   approve the certificate request of its agent, and accept the cluster
  lanyard accept west east --wait       the same for two, until both have joined
  lanyard accept --all                  every cluster that waits
  lanyard accept west --replace-agent   let another agent take the place of the one that is alive`

export function acceptCommand(stop: Stop): Command {
  return withHubSettings(new Command('accept'))
    .description('Let clusters in that ask to join the hub.')
    .argument('[names...]', 'the clusters')
    .option('--all', 'every cluster whose agent waits for approval')
    .option('--clusters <names>', 'the same as names, separated by commas')
    .option('--cluster <name>', 'the same, for one')
    .option('--agent <name>', 'which agent, where several ask under one name')
    .option('--csr <name>', 'which certificate request, where one agent made several')
    .option('--replace-agent', 'although another agent of that name is alive: the new one takes its place')
    .option('--requesters <users>', 'approve requests of these users too, separated by commas')
    .option('--skip-approve-check', 'accept although no certificate request waits')
    .option('--wait', 'until the cluster has joined and is available')
    .option('--timeout <seconds>', 'how long --wait waits', wholeNumber(1), 300)
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', examples)
    .action((names: string[], options: AcceptOptions, command: Command) => accept(names, options, command, stop))
}

async function accept(given: string[], options: AcceptOptions, command: Command, stop: Stop): Promise<void> {
  const [{ clusterNames, operateOnEach, withHub }, { acceptCluster }, { untilJoined }, { failures }] =
    await Promise.all([
      import('./operate.ts'),
      import('../registration/operations/accept.ts'),
      import('../registration/operations/until-joined.ts'),
      import('../registration/operations/failures.ts'),
    ])
  const named = clusterNames(given, [options.clusters, options.cluster])
  if (options.all && named.length > 0) throw failures.CLUSTERS_NAMED_AND_ALL()
  if (!options.all && named.length === 0) throw failures.CLUSTERS_NOT_NAMED({ verb: 'accept' })
  const choices: AcceptChoices = {
    requesters: options.requesters?.split(',') ?? [],
    replaceAgent: options.replaceAgent ?? false,
    skipApproveCheck: options.skipApproveCheck ?? false,
    ...(options.agent !== undefined && { agent: options.agent }),
    ...(options.csr !== undefined && { csr: options.csr }),
  }
  await withHub(command, stop, async ({ client: kube }, deps) => {
    const names = options.all ? await waiting(kube, deps.signal) : named
    if (names.length === 0) process.stdout.write(options.output === 'json' ? '[]\n' : 'No cluster waits.\n')
    const steps = async function* (name: string) {
      yield* acceptCluster(name, choices, { ...deps, kube })
      if (options.wait) yield* untilJoined(name, options.timeout * 1_000, { ...deps, kube })
    }
    if (names.length > 0)
      await operateOnEach(names, steps, { done: 'accepted', output: options.output, signal: deps.signal })
  })
}

/** Those that are not accepted and whose agent asks; nobody who was denied comes back by `--all`. */
async function waiting(kube: import('../kube/kube.ts').Kube, signal: AbortSignal): Promise<string[]> {
  const { overviewIn, readClusters } = await import('../registration/overview/read-clusters.ts')
  const snapshot = await readClusters(kube, { signal })
  return snapshot.clusters
    .map((cluster) => overviewIn(snapshot, cluster))
    .filter(({ stage, pendingRequests }) => stage === 'pending' && pendingRequests.length > 0)
    .map(({ name }) => name)
    .toSorted()
}
