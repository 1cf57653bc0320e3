import { Command, Option } from 'commander'
import { durationMs, httpsUrl } from './flag-values.ts'
import { withSettings } from './settings.ts'
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
  return withSettings(new Command('token'))
    .description('Print a token of the hub, and the command that joins a cluster with it.')
    .option('--use-bootstrap-token', 'a bootstrap token of Kubernetes in place of one of a service account')
    .option('--expires <time>', 'how long it is good', durationMs, 3_600_000)
    .option('--hub-apiserver <url>', 'how clusters reach the hub (default: as the kubeconfig does)', httpsUrl)
    .addOption(new Option('-o, --output <format>', 'how it is printed').choices(['text', 'json']).default('text'))
    .addHelpText('after', examples)
    .action(async (options: TokenOptions, command: Command) =>
      (await import('./token-run.ts')).printToken(options, command, stop),
    )
}
