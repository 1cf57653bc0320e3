import { Command, Option } from 'commander'
import { httpsUrl } from './flag-values.ts'
import { durationOption } from './process-flags.ts'
import { withHubSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

export interface TokenOptions {
  useBootstrapToken?: boolean
  expires: number
  hubApiserver?: string
  output: 'text' | 'json'
}

const examples = `
Examples:
  lanyard token                       a token for an hour, and the command to join with
  lanyard token --use-bootstrap-token --expires 24h
  lanyard token -o json               for a program to read

A token lets whoever has it ask to join, not join: the hub still has to accept the cluster.`

export function tokenCommand(stop: Stop): Command {
  return withHubSettings(new Command('token'))
    .description('Print a token of the hub, and the command that joins a cluster with it.')
    .option('--use-bootstrap-token', 'a bootstrap token of Kubernetes in place of one of a service account')
    .addOption(durationOption('--expires', 'how long it is good', '1h'))
    .option('--hub-apiserver <url>', 'how clusters reach the hub (default: as the kubeconfig does)', httpsUrl)
    .addOption(new Option('-o, --output <format>', 'how it is printed').choices(['text', 'json']).default('text'))
    .addHelpText('after', examples)
    .action(async (options: TokenOptions, command: Command) =>
      (await import('./token-run.ts')).printToken(options, command, stop),
    )
}
