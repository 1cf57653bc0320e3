import { Command } from 'commander'
import type { AwsCallerOptions } from './aws-caller-flags.ts'
import { withAwsCallerFlags } from './aws-caller-flags.ts'
import { calledBy } from './called.ts'
import { outputOption } from './output.ts'
import { withHubSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

interface DenyOptions extends AwsCallerOptions {
  clusters?: string
  output: 'table' | 'json'
}

const examples = `
Examples:
  lanyard deny west        take its acceptance back and deny what its agents ask for; it keeps its place
  lanyard accept west      lets it in again
  lanyard unjoin west      removes it for good, see docs/leaving.md for what goes when`

export function denyCommand(stop: Stop): Command {
  return withAwsCallerFlags(withHubSettings(new Command('deny')))
    .description('Shut clusters out: their agents lose their rights, the clusters stay known.')
    .argument('[names...]', 'the clusters')
    .option('--clusters <names>', 'the same, separated by commas')
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', examples)
    .action((names: string[], options: DenyOptions, command: Command) => deny(names, options, command, stop))
}

async function deny(given: string[], options: DenyOptions, command: Command, stop: Stop): Promise<void> {
  const [{ clusterNames, operateOnEach, withHub }, { awsByCaller }, { denyCluster }, { failures }] = await Promise.all([
    import('./operate.ts'),
    import('./aws-caller.ts'),
    import('../registration/operations/deny.ts'),
    import('../registration/operations/failures.ts'),
  ])
  const names = clusterNames(given, [options.clusters])
  if (names.length === 0) throw failures.CLUSTERS_NOT_NAMED({ verb: 'deny' })
  await withHub(command, stop, async ({ client: kube }, deps) => {
    using aws = awsByCaller(kube, command, { ...options, ...deps, hubWithinMs: 0 })
    await operateOnEach(names, (name) => denyCluster(name, { ...deps, kube, aws }), {
      done: 'denied',
      output: options.output,
      signal: deps.signal,
      called: calledBy(command),
    })
  })
}
