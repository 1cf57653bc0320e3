import { Command } from 'commander'
import type { AcceptChoices } from '../registration/operations/accept-plan.ts'
import type { AwsCallerOptions } from './aws-caller-flags.ts'
import { withAwsCallerFlags } from './aws-caller-flags.ts'
import { calledBy } from './called.ts'
import { wholeNumber } from './flag-values.ts'
import { outputOption } from './output.ts'
import { withHubSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

interface AcceptOptions extends AwsCallerOptions {
  all?: boolean
  clusters?: string
  cluster?: string
  agent?: string
  csr?: string
  replaceAgent?: boolean
  requesters?: string
  skipApproveCheck?: boolean
  yes?: boolean
  wait?: boolean
  timeout: number
  output: 'table' | 'json'
}

const examples = `
Examples:
  lanyard accept west                   approve the certificate request of its agent, and accept the cluster
  lanyard accept west east --wait       the same for two, until both have joined
  lanyard accept --all                  every cluster that waits
  lanyard accept west --replace-agent   let another agent take the place of the one that is alive

A cluster on EKS says so by an annotation, and needs no certificate request. Where the hub has an AWS role it makes that
of the cluster; where it has none, accept makes it, with your own AWS credentials.`

export function acceptCommand(stop: Stop): Command {
  return withAwsCallerFlags(withHubSettings(new Command('accept')))
    .description('Let clusters in that ask to join the hub.')
    .argument('[names...]', 'the clusters')
    .option('--all', 'every cluster that waits')
    .option('--clusters <names>', 'the same as names, separated by commas')
    .option('--cluster <name>', 'the same, for one')
    .option('--agent <name>', 'which agent, where several ask under one name')
    .option('--csr <name>', 'which certificate request, where one agent made several')
    .option('--replace-agent', 'although another agent of that name is alive: the new one takes its place')
    .option('--requesters <users>', 'approve requests of these users too, separated by commas')
    .option('--skip-approve-check', 'accept although no certificate request waits')
    .option('--yes', 'do not ask, although others use the namespace of its name: its agent gets rights in it')
    .option('--wait', 'until the cluster has joined and is available')
    .option(
      '--timeout <seconds>',
      'how long --wait waits, and how long a hub may take to make a role in AWS',
      wholeNumber(1),
      300,
    )
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', examples)
    .action((names: string[], options: AcceptOptions, command: Command) => accept(names, options, command, stop))
}

async function accept(given: string[], options: AcceptOptions, command: Command, stop: Stop): Promise<void> {
  const [{ clusterNames, operateOnEach, withHub }, { awsByCaller }, { acceptCluster }, { untilJoined }, { failures }] =
    await Promise.all([
      import('./operate.ts'),
      import('./aws-caller.ts'),
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
    intoForeignNamespace: options.yes ?? false,
    ...(options.agent !== undefined && { agent: options.agent }),
    ...(options.csr !== undefined && { csr: options.csr }),
  }
  await withHub(command, stop, async ({ client: kube }, deps) => {
    const names = options.all ? await waiting(kube, deps.signal) : named
    if (names.length === 0) process.stdout.write(options.output === 'json' ? '[]\n' : 'No cluster waits.\n')
    const timeoutMs = options.timeout * 1_000
    using aws = awsByCaller(kube, command, { ...options, ...deps, hubWithinMs: timeoutMs })
    const operation = { ...deps, kube, aws }
    const confirmed = choices.intoForeignNamespace ? [] : await confirmedOnTerminal(names, kube, deps.signal)
    const steps = async function* (name: string) {
      const intoForeignNamespace = choices.intoForeignNamespace || confirmed.includes(name)
      yield* acceptCluster(name, { ...choices, intoForeignNamespace }, operation)
      if (options.wait) yield* untilJoined(name, timeoutMs, operation)
    }
    if (names.length > 0)
      await operateOnEach(names, steps, {
        done: 'accepted',
        output: options.output,
        signal: deps.signal,
        called: calledBy(command),
      })
  })
}

/** Of these, those that a person lets into a namespace that others use. Without a terminal accept refuses them instead. */
async function confirmedOnTerminal(
  names: readonly string[],
  kube: import('../kube/kube.ts').Kube,
  signal: AbortSignal,
): Promise<string[]> {
  if (!process.stdin.isTTY) return []
  const [{ confirm }, { namespaceOfOthers }, { contentOf }, { ManagedCluster }] = await Promise.all([
    import('./confirm.ts'),
    import('../registration/operations/accept.ts'),
    import('../registration/foreign-namespace.ts'),
    import('../apis/cluster/managed-cluster.ts'),
  ])
  const confirmed: string[] = []
  for (const name of names) {
    const foreign = await namespaceOfOthers(name, kube, signal)
    const cluster = foreign && (await kube.of(ManagedCluster.resource).find(name, { signal }))
    if (!cluster || cluster.spec?.hubAcceptsClient) continue
    const question = `A namespace ${name} is there and was not made for the cluster. It holds ${contentOf(foreign)}.\nGive the agent of ${name} rights in it?`
    if (await confirm(question, signal)) confirmed.push(name)
  }
  return confirmed
}

/**
 * Those that are not accepted and whose agent asks, which on AWS it does by being there; nobody who was denied comes back
 * by `--all`.
 */
async function waiting(kube: import('../kube/kube.ts').Kube, signal: AbortSignal): Promise<string[]> {
  const [{ overviewIn, readClusters }, { isWaiting }] = await Promise.all([
    import('../registration/overview/read-clusters.ts'),
    import('../registration/overview/cluster-overview.ts'),
  ])
  const snapshot = await readClusters(kube, { signal })
  return snapshot.clusters
    .map((cluster) => overviewIn(snapshot, cluster))
    .filter(isWaiting)
    .map(({ name }) => name)
    .toSorted()
}
