import { Command, Option } from 'commander'
import type { FailurePolicy } from '../access/operations/authorization-config.ts'
import { hubNamespace } from '../fleet/names.ts'
import { durationMs, httpsUrl } from './flag-values.ts'
import { withHubSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

export interface WebhookConfigOptions {
  rotate?: boolean
  overlap: number
  out?: string
  at: string
  url?: string
  caFile?: string
  systemCa?: boolean
  user?: string
  namespace: string
  failurePolicy?: FailurePolicy
  output: 'yaml' | 'json'
}

const examples = `
Examples:
  lanyard access webhook-config west --out west            the files into the folder west, the token among them
  lanyard access webhook-config west                       the files one after the other, and the token, once
  lanyard access webhook-config west --rotate --out west   another token; the one before is good for an hour more
  lanyard access webhook-config west --rotate --overlap 0s --out west   the one before is cut off at once

The token is shown once and kept nowhere; the hub keeps a digest. Whoever loses it makes another with --rotate.`

/** `lanyard access webhook-config`. */
export const webhookConfigCommand = (stop: Stop): Command =>
  withHubSettings(new Command('webhook-config'), ['namespace'])
    .description(
      'Print what has the API server of a cluster ask the hub: AuthorizationConfiguration, kubeconfigs, token.',
    )
    .argument('<cluster>', 'the name of its ClusterConfig')
    .option('--rotate', 'make another token')
    .addOption(
      new Option('--overlap <duration>', 'how long the tokens before it stay good')
        .argParser(durationMs)
        .default(durationMs('1h'), '1h'),
    )
    .option('--out <folder>', 'write the files there, readable to you alone (default: print them)')
    .option('--at <folder>', "where they will be on the API server's machines", '/etc/kubernetes/lanyard')
    .option('--url <url>', 'where the API server finds the hub (default: access.url of the configuration)', httpsUrl)
    .option('--ca-file <file>', 'who vouches for it there (default: the CA of the hub)')
    .option('--system-ca', "the roots of the API server's machine vouch for it")
    .option('--user <name>', 'who the hub is on the cluster (default: as the cluster says)')
    .addOption(
      new Option(
        '--failure-policy <policy>',
        'of policies, while no hub answers in time: RBAC decides, or people are denied (default: Deny where a policy is for the cluster)',
      ).choices(['NoOpinion', 'Deny'] satisfies FailurePolicy[]),
    )
    .option('--namespace <name>', 'of the hub', hubNamespace)
    .addOption(new Option('-o, --output <format>', 'how it is printed').choices(['yaml', 'json']).default('yaml'))
    .addHelpText('after', examples)
    .action(async (cluster: string, options: WebhookConfigOptions, command: Command) =>
      (await import('./access-webhook-config-run.ts')).printWebhookConfig(cluster, options, command, stop),
    )
