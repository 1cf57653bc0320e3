import { Command } from 'commander'
import { agentNamespace } from '../fleet/names.ts'
import { calledBy, inCalledForm } from './called.ts'
import { outputOption } from './output.ts'
import { withHubSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

interface DoctorOptions {
  managedKubeconfig?: string
  managedContext?: string
  agentNamespace: string
  deployed: boolean
  output: 'table' | 'json' | 'yaml'
}

const examples = `
Examples:
  lanyard doctor west                                          what the hub shows of it
  lanyard doctor west --managed-kubeconfig west.yaml           both sides
  lanyard doctor --managed-kubeconfig west.yaml                the cluster alone, before it has joined
  lanyard doctor                                               what the hub lets people ask for, on all clusters
Exit code 0: nothing is wrong. 1: something is. The ids are explained in docs/troubleshooting.md.`

export function doctorCommand(stop: Stop): Command {
  return withHubSettings(new Command('doctor'))
    .description('Find out what is wrong between a cluster and its hub. Changes nothing.')
    .argument('[name]', 'the cluster, as the hub knows it')
    .option('--managed-kubeconfig <file>', 'the cluster')
    .option('--managed-context <name>', 'its context there')
    .option('--agent-namespace <name>', 'where the agent keeps its Secrets on the cluster', agentNamespace)
    .option('--no-deployed', 'the agent does not run as a Deployment on the cluster')
    .addOption(outputOption(['table', 'json', 'yaml']))
    .addHelpText('after', examples)
    .action((name: string | undefined, options: DoctorOptions, command: Command) =>
      doctor(name, options, command, stop),
    )
}

async function doctor(name: string | undefined, options: DoctorOptions, command: Command, stop: Stop): Promise<void> {
  const [{ systemClock }, { systemRandom }, { loadSettings }, { examine }, { formatData }] = await Promise.all([
    import('../core/clock.ts'),
    import('../core/random.ts'),
    import('./settings.ts'),
    import('./examine.ts'),
    import('./output.ts'),
  ])
  const { settings, log } = await loadSettings(command)
  const deps = { clock: systemClock, random: systemRandom, log, signal: stop.signal }
  const { findings, text } = await examine({ ...options, settings, ...(name !== undefined && { name }) }, deps)
  const said = options.output === 'table' ? inCalledForm(text, calledBy(command)) : formatData(options.output, findings)
  process.stdout.write(said)
  if (findings.length > 0) process.exitCode = 1
}
