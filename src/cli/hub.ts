import { Command, Option } from 'commander'
import { addressOf, gatesOf, httpsUrl, listOf, pairsOf, patternsOf, wholeNumber } from './flag-values.ts'
import { durationOption, withProcessFlags } from './process-flags.ts'
import type { Stop } from './stop-signal.ts'

export interface HubOptions {
  kubeconfig?: string
  context?: string
  namespace: string
  listen: { host: string; port: number }
  accessListen?: { host: string; port: number }
  webhookUrl?: string
  admissionClientCaFile?: string
  admissionClientNames?: string[]
  leaderElection: boolean
  leaderElectLeaseDuration: number
  leaderElectRenewDeadline: number
  leaderElectRetryPeriod: number
  featureGates?: Record<string, boolean>
  enabledRegistrationDrivers: string[]
  hubClusterArn?: string
  autoApprovedArnPatterns?: string[]
  awsResourceTags?: string[]
  gcResourceList?: string[]
  autoApprovedCsrUsers?: string[]
  clusterAutoApprovalUsers?: string[]
  hubApiserverUrl?: string
  labels?: Record<string, string>
  leaseGraceFactor: number
  unjoinGrace: number
  kubeApiQps: number
  kubeApiBurst: number
  config?: string
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

/** Where people and API servers are answered, unless a flag says. */
export const accessPort = 9444

const examples = `
Examples:
  lanyard hub --kubeconfig hub.yaml                 run the hub until Ctrl-C; lanyard init prepares the cluster for it
  lanyard hub --kubeconfig hub.yaml --listen 127.0.0.1:9443 --webhook-url https://127.0.0.1:9443
  lanyard hub --feature-gates Reach=false           no way into clusters, and no right to read Secrets
  lanyard hub --feature-gates Access=false          nobody breaks glass by this hub
  lanyard hub --feature-gates ManagedClusterAutoApproval=true --auto-approved-csr-users \\
    system:serviceaccount:open-cluster-management:agent-registration-bootstrap
  lanyard hub --enabled-registration-drivers awsirsa \\
    --hub-cluster-arn arn:aws:eks:eu-west-1:123456789012:cluster/hub    clusters on EKS join by AWS IAM`

export function hubCommand(stop: Stop): Command {
  return withProcessFlags(new Command('hub'))
    .description('Run the hub: let clusters in, keep their rights, watch their health, answer its webhooks.')
    .option('--kubeconfig <file>', 'of the hub (default: KUBECONFIG, ~/.kube/config, the account of the pod)')
    .option('--namespace <name>', 'of the lease and the CA of the hub', 'open-cluster-management-hub')
    .addOption(
      new Option('--listen <address>', 'where webhooks, /metrics and /healthz are served')
        .argParser(addressOf)
        .default(addressOf(':9443'), ':9443'),
    )
    .option(
      '--access-listen <address>',
      `where people and the API servers of clusters are answered (default: port ${accessPort} of the same host)`,
      addressOf,
    )
    .option('--webhook-url <url>', 'how the API server reaches it, where that is no Service', httpsUrl)
    .option(
      '--admission-client-ca-file <file>',
      'ask the API server for its client certificate, issued by one of these authorities, before it may call a webhook',
    )
    .option(
      '--admission-client-names <names>',
      'common names, of which one has to be in that certificate (default: any that the authorities issued)',
      listOf,
    )
    .option('--feature-gates <gates>', 'A=true,B=false', gatesOf)
    .addOption(
      new Option('--enabled-registration-drivers <names>', 'ways to join: csr, awsirsa')
        .argParser((text: string) => listOf(text))
        .default(['csr'], 'csr'),
    )
    .option('--auto-approved-csr-users <users>', 'whose clusters are let in without asking', listOf)
    .addOption(
      new Option('--cluster-auto-approval-users <users>', 'older name of the last').argParser(listOf).hideHelp(),
    )
    .option('--hub-cluster-arn <arn>', 'the EKS cluster that is the hub, with the driver awsirsa')
    .option(
      '--auto-approved-arn-patterns <patterns>',
      'regular expressions; clusters whose whole ARN matches one are let in without asking',
      patternsOf,
    )
    .option('--aws-resource-tags <pairs>', 'k=v,k2=v2 on every role and access entry that is made', listOf)
    .option('--labels <pairs>', 'k=v,k2=v2 on everything that is made for a cluster', pairsOf)
    .option(
      '--gc-resource-list <list>',
      'what goes with a deleted cluster: group/version/plural, in this order',
      listOf,
    )
    .option('--hub-apiserver-url <url>', 'how clusters reach the hub', httpsUrl)
    .option('--lease-grace-factor <n>', 'lease durations without a heartbeat until Unknown', wholeNumber(1, 100), 5)
    .addOption(durationOption('--unjoin-grace', 'how long a cluster that left by itself stays listed', '1h'))
    .option(
      '--config <file>',
      'its sections reach and access, read again when they change (default: lanyard.yaml, where there is one)',
    )
    .addHelpText('after', examples)
    .action(async (options: HubOptions) => (await import('./hub-run.ts')).runHub(options, stop))
}
