import { Command, Option } from 'commander'
import type { HubAwsOptions } from './aws-install-flags.ts'
import { withHubAwsFlags } from './aws-install-flags.ts'
import { gatesOf, httpsUrl, listOf, wholeNumber } from './flag-values.ts'
import { withLaterFlags } from './process-flags.ts'
import { withSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

export interface InitOptions extends HubAwsOptions {
  wait?: boolean
  timeout: number
  force?: boolean
  createNamespace: boolean
  dryRun?: boolean
  useBootstrapToken?: boolean
  featureGates?: Record<string, boolean>
  registrationDrivers?: string[]
  registrationAuth?: string[]
  autoApprovedCsrIdentities?: string[]
  outputJoinCommandFile?: string
  webhookUrl?: string
  image?: string
  hubApiserver?: string
  csrCheckSeconds: number
  skipAwsPreflight?: boolean
  output: 'text' | 'json'
}

const examples = `
Examples:
  lanyard init --kubeconfig hub.yaml --webhook-url https://127.0.0.1:9443   the hub runs on this machine: lanyard hub
  lanyard init --context hub --image registry.example.com/lanyard:1 --wait  the hub runs in the cluster
  lanyard init --feature-gates ManagedClusterAutoApproval=true --auto-approved-csr-identities USER
  lanyard init -o json                                                      for a program to read
  lanyard init --registration-auth=aws-irsa --context arn:aws:eks:eu-west-1:123456789012:cluster/hub   a hub on EKS
  lanyard init --registration-drivers awsirsa --hub-cluster-arn ARN --feature-gates ManagedClusterAutoApproval=true \\
    --auto-approved-arn-patterns 'arn:aws:eks:eu-west-1:567890123456:cluster/.*'

It may be repeated: what is there is kept or put right. With awsirsa the hub is the EKS cluster of --hub-cluster-arn, or
the one that the kubeconfig calls by its ARN, as \`aws eks update-kubeconfig\` does. A region in an ARN pattern keeps
nobody of that account out: a cluster is known in AWS by its account and name, and by no region.`

const settings = { data: null, namespace: 'Where the hub lives. Absent: open-cluster-management-hub.' }

const laterFlags = ['--auto-approved-grpc-identities', '--grpc-server', '--grpc-endpoint-type']

export function initCommand(stop: Stop): Command {
  const command = withSettings(new Command('init'), settings)
    .description('Prepare a cluster to be a hub: its kinds, rights, CA and webhooks, and who may ask to join.')
    .option('--webhook-url <url>', 'where the API server finds the hub (default: its Service)', httpsUrl)
    .option('--image <image>', 'also run the hub in the cluster, with this image')
    .option('--wait', 'return when the hub in the cluster answers')
    .option('--timeout <seconds>', 'how long to wait for anything', wholeNumber(1), 300)
    .option('--feature-gates <gates>', 'of the hub: A=true,B=false', gatesOf)
    .option('--registration-drivers <names>', 'ways to join: csr, awsirsa', listOf)
    .addOption(new Option('--registration-auth <names>', 'the same').argParser(listOf).hideHelp())
    .option('--auto-approved-csr-identities <users>', 'whose clusters are let in without asking', listOf)
    .option('--skip-aws-preflight', 'with awsirsa: do not look whether the role of the hub is in IAM')
    .option('--use-bootstrap-token', 'the join command has a bootstrap token of Kubernetes')
    .option('--output-join-command-file <file>', 'the join command goes there too, for its owner alone to read')
    .option('--hub-apiserver <url>', 'how clusters reach the hub (default: as the kubeconfig does)', httpsUrl)
    .option(
      '--csr-check-seconds <n>',
      'how long the signer of client certificates is waited for',
      wholeNumber(1, 300),
      10,
    )
    .option('--dry-run', 'only say what would be installed')
    .addOption(new Option('--force', 'known for the sake of scripts: init may always be repeated').hideHelp())
    .addOption(new Option('--create-namespace [yes]', 'known for the sake of scripts').default(true).hideHelp())
    .addOption(
      new Option('-o, --output <format>', 'how the result is printed').choices(['text', 'json']).default('text'),
    )
    .addHelpText('after', examples)
  return withLaterFlags(withHubAwsFlags(command), laterFlags).action(async (options: InitOptions, self: Command) =>
    (await import('./init-run.ts')).runInit(options, self, stop),
  )
}
