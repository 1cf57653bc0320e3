import { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { systemRandom } from '../core/random.ts'
import type { OutputFormat } from './output.ts'
import { outputOption } from './output.ts'
import { loadSettings, withSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

const examples = `
Examples:
  lanyard describe cluster west           all that the hub knows of it, and what to do where something is wrong
  lanyard describe cluster west -o json   for a program to read`

export function describeCommand(stop: Stop): Command {
  const cluster = withSettings(new Command('cluster'))
    .description('One cluster: its identity, health, conditions and what happened to it.')
    .argument('<name>')
    .addOption(outputOption(['table', 'json', 'yaml']))
    .addHelpText('after', examples)
    .action((name: string, { output }: { output: OutputFormat }, command: Command) =>
      describe(name, output, command, stop),
    )
  return new Command('describe').description('Show one thing in full.').addCommand(cluster)
}

async function describe(name: string, output: OutputFormat, command: Command, stop: Stop): Promise<void> {
  const { settings, log } = await loadSettings(command)
  const deps = { clock: systemClock, random: systemRandom, log, signal: stop.signal }
  const [{ openHub }, { describeCluster }, { formatData }] = await Promise.all([
    import('./open-hub.ts'),
    import('./describe-cluster.ts'),
    import('./output.ts'),
  ])
  const hub = await openHub(settings, deps)
  await using _client = hub.client
  const { data, text } = await describeCluster(name, hub.client, deps)
  process.stdout.write(output === 'json' || output === 'yaml' ? formatData(output, data) : text)
}
