import { Command, Option } from 'commander'
import type { AddonInstallOptions } from './addon-flags.ts'
import { withAddonFlags } from './addon-flags.ts'
import type { ReachOfferOptions } from './agent-reach.ts'
import { withReachOffer } from './agent-reach.ts'
import type { AgentAwsOptions } from './aws-install-flags.ts'
import { withAgentAwsFlags } from './aws-install-flags.ts'
import { certificateLife, gatesOf, listOf, pairsOf, repeated, wholeNumber } from './flag-values.ts'
import { withLaterFlags } from './process-flags.ts'
import type { Stop } from './stop-signal.ts'

export interface JoinOptions extends AddonInstallOptions, ReachOfferOptions, AgentAwsOptions {
  kubeconfig?: string
  context?: string
  hubToken?: string
  hubTokenFile?: string
  hubApiserver: string
  clusterName: string
  caFile?: string
  caPin?: string[]
  proxyUrl?: string
  proxyCaFile?: string
  skipHubCheck?: boolean
  forceInternalEndpointLookup?: boolean
  namespace: string
  image?: string
  wait?: boolean
  timeout: number
  dryRun?: boolean
  featureGates?: Record<string, boolean>
  clientCertExpirationSeconds: number
  skipAwsPreflight?: boolean
  klusterletAnnotation?: Record<string, string>
  mode: string
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
}

const examples = `
Examples:
  lanyard join --hub-token-file token --hub-apiserver https://hub.example.com:6443 --ca-pin sha256:… --cluster-name west
  lanyard join … --wait            return when the cluster has joined, or say what is missing
  lanyard join … --registration-auth aws-irsa --eks-hub-cluster-arn arn:aws:eks:eu-west-1:123456789012:cluster/hub
  lanyard token, on the hub, prints the whole command

The token is sent to nobody but a server that the given CA vouches for. With --hub-token it stands in the process list of
this machine; --hub-token-file keeps it out of there. With aws-irsa the cluster that joins is the one that its kubeconfig
calls by its ARN, as \`aws eks update-kubeconfig\` does; --managed-cluster-arn says otherwise.`

const laterFlags = ['--managed-cluster-kubeconfig', '--grpc-server', '--grpc-ca-file', '--klusterlet-values-file']

export function joinCommand(stop: Stop): Command {
  const command = new Command('join')
    .description('Let this cluster ask a hub to manage it: install the agent, and what it begins with.')
    .option('--kubeconfig <file>', 'of the cluster that joins (default: KUBECONFIG, ~/.kube/config)')
    .option('--context <name>', 'of that kubeconfig')
    .requiredOption('--hub-apiserver <url>', 'address of the hub')
    .requiredOption('--cluster-name <name>', 'of this cluster on the hub')
    .option('--hub-token-file <file>', 'holds a token of the hub; - for standard input')
    .option('--hub-token <token>', 'the token itself')
    .option('--ca-pin <pin>', 'sha256:… of the CA of the hub; may be repeated', repeated)
    .option('--ca-file <file>', 'the CA of the hub, PEM')
    .option('--proxy-url <url>', 'http or https proxy between this cluster and the hub')
    .option('--proxy-ca-file <file>', 'who vouches for an https proxy, PEM')
    .option('--wait', 'return when the cluster has joined')
    .option('--timeout <seconds>', 'how long to wait for anything', wholeNumber(1), 300)
    .option('--skip-hub-check', 'do not ask the hub whether it takes the token: only the cluster reaches it')
    .option('--force-internal-endpoint-lookup', 'the agent uses the address that the hub publishes for itself')
    .option('--namespace <name>', 'of the agent', 'open-cluster-management-agent')
    .option(
      '--image <image>',
      'of the agent (default: lanyard with the version of this program; nobody publishes one yet)',
    )
    .option('--feature-gates <gates>', 'of the agent: A=true,B=false', gatesOf)
    .option(
      '--client-cert-expiration-seconds <n>',
      'life of the certificate; 0: as the signer likes',
      certificateLife,
      0,
    )
    .option('--klusterlet-annotation <pairs>', 'k=v on the ManagedCluster; may be repeated', pairsOf)
    .option('--skip-aws-preflight', 'with awsirsa: do not look whether the role of this cluster is in IAM')
    .addOption(new Option('--mode <mode>').default('default').hideHelp())
    .addOption(new Option('--singleton', 'known for the sake of scripts').argParser(listOf).hideHelp())
    .addOption(
      new Option('--log-level <level>', 'the least that is logged, on standard error')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('warn'),
    )
    .option('--dry-run', 'only say what would be installed')
    .addHelpText('after', examples)
  return withLaterFlags(withAgentAwsFlags(withReachOffer(withAddonFlags(command))), laterFlags).action(
    async (options: JoinOptions, command: Command) => (await import('./join-run.ts')).runJoin(options, command, stop),
  )
}
