import { Command, Option } from 'commander'
import { agentNamespace, hubNamespace } from '../fleet/names.ts'

export interface HubPrerequisitesOptions {
  hubClusterArn?: string
  oidcProvider?: string
  namespace: string
  output: 'json' | 'terraform' | 'cloudformation'
}

export interface ClusterPrerequisitesOptions extends HubPrerequisitesOptions {
  managedClusterArn?: string
  klusterlet: string
}

const hubExamples = `
Examples:
  lanyard aws prerequisites hub --hub-cluster-arn arn:aws:eks:eu-west-1:123456789012:cluster/hub \\
    --oidc-provider oidc.eks.eu-west-1.amazonaws.com/id/ABCDEF
  lanyard aws prerequisites hub … -o terraform > hub-role.tf
  lanyard aws prerequisites hub … -o json | jq .trustPolicy > trust.json

With this role the hub makes a role for every cluster that it accepts. On a hub without it, whoever runs lanyard accept
makes them, and needs its policy.`

const clusterExamples = `
Examples:
  lanyard aws prerequisites cluster --hub-cluster-arn arn:aws:eks:eu-west-1:123456789012:cluster/hub \\
    --managed-cluster-arn arn:aws:eks:eu-west-1:567890123456:cluster/west \\
    --oidc-provider oidc.eks.eu-west-1.amazonaws.com/id/FEDCBA
  lanyard aws prerequisites cluster … -o cloudformation > role.json
  aws cloudformation deploy --stack-name lanyard --template-file role.json --capabilities CAPABILITY_NAMED_IAM

The role has to be there before the cluster is accepted: IAM trusts no role that does not exist.`

/** Only prints: AWS is not asked. */
export function awsPrerequisitesCommand(): Command {
  const hub = common('hub', hubNamespace)
    .description('Print the role of a hub, for its AWS account.')
    .addHelpText('after', hubExamples)
    .action(async (options: HubPrerequisitesOptions, command: Command) =>
      (await import('./aws-prerequisites-print.ts')).printHubRole(options, command),
    )
  const cluster = common('cluster', agentNamespace)
    .description('Print the role of a managed cluster, for its AWS account.')
    .option('--managed-cluster-arn <arn>', 'the EKS cluster that joins')
    .option('--klusterlet <name>', 'of the Klusterlet, for agents of the field', 'klusterlet')
    .addHelpText('after', clusterExamples)
    .action(async (options: ClusterPrerequisitesOptions, command: Command) =>
      (await import('./aws-prerequisites-print.ts')).printClusterRole(options, command),
    )
  return new Command('prerequisites')
    .description('Print what has to be in IAM before a hub starts or a cluster joins.')
    .addCommand(hub)
    .addCommand(cluster)
}

const common = (whose: string, namespace: string): Command =>
  new Command(whose)
    .option('--hub-cluster-arn <arn>', 'the EKS cluster that is the hub')
    .option('--oidc-provider <host/path>', 'the OpenID provider of the cluster that the role is for')
    .option('--namespace <name>', 'where it is installed there', namespace)
    .addOption(
      new Option('-o, --output <format>', 'how it is printed')
        .choices(['json', 'terraform', 'cloudformation'])
        .default('json'),
    )
