import { Command, Option } from 'commander'
import type { DriverName } from '../addons/registrations.ts'
import { addonDriverOption, addonTokenLifeOption } from './addon-flags.ts'
import type { ReachOfferOptions } from './agent-reach.ts'
import { withReachOffer } from './agent-reach.ts'
import { addressOf, certificateLife, gatesOf, listOf, pairsOf, repeated, wholeNumber } from './flag-values.ts'
import { durationOption, withLaterFlags, withProcessFlags } from './process-flags.ts'
import type { Stop } from './stop-signal.ts'

export interface AgentOptions extends ReachOfferOptions {
  kubeconfig?: string
  spokeKubeconfig?: string
  context?: string
  namespace?: string
  listen?: { host: string; port: number }
  leaderElection: boolean
  leaderElectLeaseDuration: number
  leaderElectRenewDeadline: number
  leaderElectRetryPeriod: number
  featureGates?: Record<string, boolean>
  spokeClusterName?: string
  clusterName?: string
  agentId?: string
  agentName?: string
  hubKubeconfigDir: string
  hubKubeconfigSecret: string
  bootstrapKubeconfig?: string
  bootstrapKubeconfigs?: string[]
  bootstrapKubeconfigSecret: string
  hubConnectionTimeoutSeconds: number
  clusterHealthcheckPeriod: number
  maxCustomClusterClaims: number
  reservedClusterClaimSuffixes?: string[]
  clusterAnnotations?: Record<string, string>
  clientCertExpirationSeconds: number
  registrationAuth: string
  hubClusterArn?: string
  eksHubClusterArn?: string
  managedClusterArn?: string
  managedClusterRoleSuffix?: string
  awsExec?: 'lanyard' | 'aws'
  awsExecCommand?: string
  addonKubeclientRegistrationAuth: DriverName
  addonTokenExpirationSeconds: number
  addonLeaseCheckPeriod: number
  addonLeaseDurationSeconds: number
  createRetryPeriod: number
  resyncPeriod: number
  kubeApiQps: number
  kubeApiBurst: number
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

const examples = `
Examples:
  lanyard agent --bootstrap-kubeconfig bootstrap.yaml --spoke-cluster-name west
  lanyard agent --kubeconfig west.yaml --bootstrap-kubeconfigs hub1.yaml --bootstrap-kubeconfigs hub2.yaml
  lanyard agent --bootstrap-kubeconfig bootstrap.yaml --addon-kubeclient-registration-auth token
  lanyard agent --registration-auth awsirsa --hub-cluster-arn arn:aws:eks:…:cluster/hub --managed-cluster-arn arn:aws:eks:…:cluster/west
  lanyard agent --bootstrap-kubeconfig bootstrap.yaml --offer-reach --spoke-external-server-urls https://west.example.com:6443
  lanyard join prepares a cluster for it; lanyard deploy agent prints what join installs`

const laterFlags = ['--grpc-bootstrap-config', '--grpc-config']

export function agentCommand(stop: Stop): Command {
  const command = withReachOffer(withProcessFlags(new Command('agent')))
    .description('Run the agent of a managed cluster: join the hub, keep its identity fresh, report how it stands.')
    .option('--kubeconfig <file>', 'where the agent keeps its Secrets (default: as kubectl, or the account of the pod)')
    .option('--spoke-kubeconfig <file>', 'the cluster that is managed (default: the same)')
    .option(
      '--namespace <name>',
      'of those Secrets (default: that of the context or pod; where that is none, open-cluster-management-agent)',
    )
    .option('--listen <address>', 'where https /healthz and /metrics are served (default: nowhere)', addressOf)
    .option('--feature-gates <gates>', 'A=true,B=false', gatesOf)
    .option(
      '--spoke-cluster-name <name>',
      'of this cluster on the hub (default: its OpenShift id, or one that is made once)',
    )
    .addOption(new Option('--cluster-name <name>', 'the same').hideHelp())
    .option('--agent-id <name>', 'of this agent (default: 5 letters, made once)')
    .addOption(new Option('--agent-name <name>', 'the same').hideHelp())
    .option('--bootstrap-kubeconfig <file>', 'to ask the hub to be let in with; may appear later')
    .option('--bootstrap-kubeconfigs <file>', 'one of several hubs, in the order they are tried; repeat it', repeated)
    .option('--bootstrap-kubeconfig-secret <name>', 'watched for changes; "" for none', 'bootstrap-hub-kubeconfig')
    .option('--hub-kubeconfig-secret <name>', 'where what the agent comes with is kept', 'hub-kubeconfig-secret')
    .option('--hub-kubeconfig-dir <folder>', 'where it is also put as files', '/spoke/hub-kubeconfig')
    .option('--hub-connection-timeout-seconds <n>', 'silence of a hub until the next is tried', wholeNumber(1), 600)
    .option(
      '--client-cert-expiration-seconds <n>',
      'life of the certificate; 0: as the signer likes',
      certificateLife,
      0,
    )
    .addOption(durationOption('--cluster-healthcheck-period', 'between two looks at the cluster', '1m'))
    .option('--max-custom-cluster-claims <n>', 'how many claims are copied to the hub', wholeNumber(0), 20)
    .option('--reserved-cluster-claim-suffixes <list>', 'claims that are always copied', listOf)
    .option('--cluster-annotations <pairs>', 'k=v,k2=v2 on the ManagedCluster when it is made', pairsOf)
    .option('--registration-auth <driver>', 'how to join: csr, or awsirsa where both clusters are on EKS', 'csr')
    .option('--hub-cluster-arn <arn>', 'with awsirsa: of the EKS cluster of the hub')
    .addOption(new Option('--eks-hub-cluster-arn <arn>', 'the same').hideHelp())
    .option('--managed-cluster-arn <arn>', 'with awsirsa: of the EKS cluster of the agent')
    .addOption(
      new Option(
        '--managed-cluster-role-suffix <text>',
        'with awsirsa: checked against what the two ARNs say',
      ).hideHelp(),
    )
    .addOption(
      new Option(
        '--aws-exec <program>',
        'with awsirsa: what makes the tokens of those who use the kubeconfig in the Secret (default: lanyard)',
      ).choices(['lanyard', 'aws']),
    )
    .option('--aws-exec-command <path>', 'with awsirsa: where they find that program (default: on their PATH)')
    .addOption(addonDriverOption().default('csr'))
    .addOption(addonTokenLifeOption().default(0))
    .addOption(
      durationOption(
        '--addon-lease-check-period',
        'until the lease of an add-on is looked at again when it could not be read',
        '30s',
      ),
    )
    .option('--addon-lease-duration-seconds <n>', 'how often an add-on renews its lease', wholeNumber(1), 60)
    .addOption(
      durationOption('--create-retry-period', 'between two tries to make a ManagedCluster it may not read', '1m'),
    )
    .addOption(durationOption('--resync-period', 'between two looks at files that tell of no change', '5m'))
    .addHelpText('after', examples)
  return withLaterFlags(command, laterFlags).action(async (options: AgentOptions) =>
    (await import('./agent-run.ts')).runAgent(options, stop),
  )
}
