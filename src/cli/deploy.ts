import { Command, Option } from 'commander'
import { agentNamespace, hubNamespace } from '../fleet/names.ts'
import type { AddonInstallOptions } from './addon-flags.ts'
import { withAddonFlags } from './addon-flags.ts'
import type { ReachOfferOptions } from './agent-reach.ts'
import { withReachOffer } from './agent-reach.ts'
import type { AgentAwsOptions, HubAwsOptions } from './aws-install-flags.ts'
import { withAgentAwsFlags, withHubAwsFlags } from './aws-install-flags.ts'
import { certificateLife, gatesOf, listOf, pairsOf, wholeNumber } from './flag-values.ts'
import { deployOperatorCommand } from './operator-deploy.ts'

export interface DeployOptions {
  image?: string
  namespace?: string
  output: 'yaml' | 'json'
  featureGates?: Record<string, boolean>
}

export interface DeployAgentOptions extends DeployOptions, AddonInstallOptions, ReachOfferOptions, AgentAwsOptions {
  clusterName?: string
  bootstrapKubeconfigSecret: string
  clusterAnnotations?: Record<string, string>
  clientCertExpirationSeconds: number
}

export interface DeployHubOptions extends DeployOptions, HubAwsOptions {
  replicas: number
  autoApprovedCsrUsers?: string[]
  enabledRegistrationDrivers?: string[]
}

const agentExamples = `
Examples:
  lanyard deploy agent --cluster-name west | kubectl apply -f -
  lanyard deploy agent --cluster-name west --addon-kubeclient-registration-auth token | kubectl apply -f -
  lanyard deploy agent --cluster-name west --registration-auth awsirsa --eks-hub-cluster-arn ARN --managed-cluster-arn ARN
  The Secret with the bootstrap kubeconfig is not among it: lanyard join makes it.`

const hubExamples = `
Examples:
  lanyard deploy hub --image registry.example.com/lanyard:1 | kubectl apply -f -
  lanyard deploy hub --enabled-registration-drivers awsirsa --hub-cluster-arn ARN --aws-creator-role
  lanyard init prepares the cluster for it: its CRDs, rights, CA and webhooks.`

/** Only prints: what is applied, and by whom, stays with whoever reads it. */
export function deployCommand(): Command {
  const agent = withAgentAwsFlags(withReachOffer(withAddonFlags(common(new Command('agent'), agentNamespace))))
    .description('Print the agent as manifests for a managed cluster.')
    .option('--cluster-name <name>', 'of the cluster on the hub (default: the agent finds or makes one)')
    .option('--bootstrap-kubeconfig-secret <name>', 'holds the key kubeconfig', 'bootstrap-hub-kubeconfig')
    .option('--cluster-annotations <pairs>', 'k=v,k2=v2 on the ManagedCluster when it is made', pairsOf)
    .option(
      '--client-cert-expiration-seconds <n>',
      'life of the certificate; 0: as the signer likes',
      certificateLife,
      0,
    )
    .addHelpText('after', agentExamples)
    .action(async (options: DeployAgentOptions) => (await import('./deploy-print.ts')).printAgent(options))
  const hub = withHubAwsFlags(common(new Command('hub'), hubNamespace))
    .description('Print the hub as manifests.')
    .option('--replicas <n>', 'one of them leads, all answer webhooks', wholeNumber(1), 1)
    .option('--auto-approved-csr-users <users>', 'whose clusters are let in without asking', listOf)
    .option('--enabled-registration-drivers <names>', 'ways to join: csr, awsirsa (default: csr)', listOf)
    .addHelpText('after', hubExamples)
    .action(async (options: DeployHubOptions) => (await import('./deploy-print.ts')).printHub(options))
  return new Command('deploy')
    .description('Print manifests to install.')
    .addCommand(agent)
    .addCommand(hub)
    .addCommand(deployOperatorCommand())
}

const common = (command: Command, namespace: string): Command =>
  command
    .option(
      '--image <image>',
      'the container image (default: lanyard with the version of this program; nobody publishes one yet)',
    )
    .option('--namespace <name>', `where it is installed (default: ${namespace})`)
    .option('--feature-gates <gates>', 'A=true,B=false', gatesOf)
    .addOption(new Option('-o, --output <format>', 'how it is printed').choices(['yaml', 'json']).default('yaml'))
