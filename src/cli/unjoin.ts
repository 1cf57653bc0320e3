import { Command } from 'commander'
import { agentNamespace } from '../fleet/names.ts'
import type { AwsCallerOptions } from './aws-caller-flags.ts'
import { withAwsCallerFlags } from './aws-caller-flags.ts'
import { calledBy } from './called.ts'
import { wholeNumber } from './flag-values.ts'
import { withHubSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

interface UnjoinOptions extends AwsCallerOptions {
  managedKubeconfig?: string
  managedContext?: string
  agentNamespace: string
  clusterName?: string
  force?: boolean
  timeout: number
}

const examples = `
Examples:
  lanyard unjoin west --kubeconfig hub.yaml --managed-kubeconfig west.yaml   both sides, in the right order
  lanyard unjoin --managed-kubeconfig west.yaml                              from the cluster alone: it takes itself off
  lanyard unjoin west --kubeconfig hub.yaml --force                          the cluster is dead: only the hub's side
What goes when, and how it differs from deny: docs/leaving.md`

export function unjoinCommand(stop: Stop): Command {
  return withAwsCallerFlags(withHubSettings(new Command('unjoin')))
    .description('Take a cluster out of the fleet, on the hub and on the cluster.')
    .argument('[name]', 'the cluster, as the hub knows it')
    .option('--cluster-name <name>', 'the same')
    .option('--managed-kubeconfig <file>', 'the cluster; absent: only the side of the hub')
    .option('--managed-context <name>', 'its context there')
    .option('--agent-namespace <name>', 'where the agent runs on the cluster', agentNamespace)
    .option('--force', 'do not wait for an agent that is gone: its add-ons and works are let go')
    .option('--timeout <seconds>', 'how long the hub may take', wholeNumber(1), 300)
    .addHelpText('after', examples)
    .action((name: string | undefined, options: UnjoinOptions, command: Command) =>
      unjoin(name, options, command, stop),
    )
}

async function unjoin(given: string | undefined, options: UnjoinOptions, command: Command, stop: Stop): Promise<void> {
  const [{ systemClock }, { systemRandom }, { loadSettings }, { progressOn }, { leaveFleet }] = await Promise.all([
    import('../core/clock.ts'),
    import('../core/random.ts'),
    import('./settings.ts'),
    import('./progress.ts'),
    import('./leave-fleet.ts'),
  ])
  const { settings, log } = await loadSettings(command)
  const progress = progressOn(process.stdout, calledBy(command))
  try {
    const name = given ?? options.clusterName
    const deps = { clock: systemClock, random: systemRandom, log, signal: stop.signal }
    for await (const step of leaveFleet({ ...options, command, settings, ...(name && { name }) }, deps))
      progress.show(step)
  } catch (error) {
    progress.fail()
    throw error
  }
}
