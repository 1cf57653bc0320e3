import { Command } from 'commander'
import type { Kube } from '../kube/kube.ts'
import { calledBy, inCalledForm } from './called.ts'
import type { CommandDeps } from './open-hub.ts'
import type { OutputFormat } from './output.ts'
import { outputOption } from './output.ts'
import { withHubSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

const examples = `
Examples:
  lanyard describe cluster west           all that the hub knows of it, and what to do where something is wrong
  lanyard describe cluster west -o json   for a program to read`

const addonExamples = `
Examples:
  lanyard describe addon west/hello           all that the hub knows of it, and what to do where something is wrong
  lanyard describe addon west/hello -o json   for a program to read`

const configExamples = `
Examples:
  lanyard describe clusterconfig west           the way into it: what works, what does not, and what to do next
  lanyard describe clusterconfig west -o json   for a program to read`

export function describeCommand(stop: Stop): Command {
  const cluster = withHubSettings(new Command('cluster'))
    .description('One cluster: its identity, health, conditions and what happened to it.')
    .argument('<name>')
    .addOption(outputOption(['table', 'json', 'yaml']))
    .addHelpText('after', examples)
    .action((name: string, { output }: { output: OutputFormat }, command: Command) =>
      describe(name, output, command, stop, async (...given) =>
        (await import('./describe-cluster.ts')).describeCluster(...given),
      ),
    )
  const addon = withHubSettings(new Command('addon'))
    .description('One add-on on one cluster: its credentials, health, conditions and what to do next.')
    .argument('<cluster/addon>')
    .addOption(outputOption(['table', 'json', 'yaml']))
    .addHelpText('after', addonExamples)
    .action((name: string, { output }: { output: OutputFormat }, command: Command) =>
      describe(name, output, command, stop, async (...given) =>
        (await import('./describe-addon.ts')).describeAddon(...given),
      ),
    )
  const config = withHubSettings(new Command('clusterconfig'))
    .alias('ccfg')
    .description('One way into a cluster: its trust, conditions, events and what to do next.')
    .argument('<name>')
    .addOption(outputOption(['table', 'json', 'yaml']))
    .addHelpText('after', configExamples)
    .action((name: string, { output }: { output: OutputFormat }, command: Command) =>
      describe(name, output, command, stop, async (...given) =>
        (await import('./describe-cluster-config.ts')).describeClusterConfig(...given),
      ),
    )
  return new Command('describe')
    .description('Show one thing in full.')
    .addCommand(cluster)
    .addCommand(addon)
    .addCommand(config)
}

type Describe = (name: string, kube: Kube, deps: CommandDeps) => Promise<{ data: unknown; text: string }>

async function describe(
  name: string,
  output: OutputFormat,
  command: Command,
  stop: Stop,
  describeOne: Describe,
): Promise<void> {
  const [{ withHub }, { formatData }] = await Promise.all([import('./operate.ts'), import('./output.ts')])
  await withHub(command, stop, async ({ client }, deps) => {
    const { data, text } = await describeOne(name, client, deps)
    const isForPrograms = output === 'json' || output === 'yaml'
    process.stdout.write(isForPrograms ? formatData(output, data) : inCalledForm(text, calledBy(command)))
  })
}
