import { Command } from 'commander'
import type { OutputFormat } from './output.ts'
import { outputOption } from './output.ts'
import { withHubSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

const examples = `
Examples:
  lanyard describe cluster west           all that the hub knows of it, and what to do where something is wrong
  lanyard describe cluster west -o json   for a program to read`

export function describeCommand(stop: Stop): Command {
  const cluster = withHubSettings(new Command('cluster'))
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
  const [{ withHub }, { describeCluster }, { formatData }] = await Promise.all([
    import('./operate.ts'),
    import('./describe-cluster.ts'),
    import('./output.ts'),
  ])
  await withHub(command, stop, async ({ client }, deps) => {
    const { data, text } = await describeCluster(name, client, deps)
    process.stdout.write(output === 'json' || output === 'yaml' ? formatData(output, data) : text)
  })
}
