import { Command } from 'commander'
import { agentNamespace, hubNamespace } from '../fleet/names.ts'

export interface HubCheckOptions {
  hubClusterArn?: string
  oidcProvider?: string
  namespace: string
}

export interface ClusterCheckOptions extends HubCheckOptions {
  managedClusterArn?: string
}

const hubExamples = `
Examples:
  lanyard aws check hub --hub-cluster-arn arn:aws:eks:eu-west-1:123456789012:cluster/hub
  AWS_PROFILE=hub-account lanyard aws check hub --hub-cluster-arn … || echo not yet`

const clusterExamples = `
Examples:
  lanyard aws check cluster --hub-cluster-arn arn:aws:eks:eu-west-1:123456789012:cluster/hub \\
    --managed-cluster-arn arn:aws:eks:eu-west-1:567890123456:cluster/west`

/** Looks and changes nothing. */
export function awsCheckCommand(): Command {
  const hub = common('hub', hubNamespace)
    .description('Look whether the role of a hub is as it has to be.')
    .addHelpText('after', hubExamples)
    .action(async (options: HubCheckOptions, command: Command) =>
      (await import('./aws-check-run.ts')).checkHub(options, command),
    )
  const cluster = common('cluster', agentNamespace)
    .description('Look whether the role of a managed cluster is as it has to be.')
    .option('--managed-cluster-arn <arn>', 'the EKS cluster that joins')
    .addHelpText('after', clusterExamples)
    .action(async (options: ClusterCheckOptions, command: Command) =>
      (await import('./aws-check-run.ts')).checkCluster(options, command),
    )
  return new Command('check')
    .description('Look in IAM, with your own AWS credentials, for what has to be there; print what is missing.')
    .addCommand(hub)
    .addCommand(cluster)
}

const common = (whose: string, namespace: string): Command =>
  new Command(whose)
    .option('--hub-cluster-arn <arn>', 'the EKS cluster that is the hub')
    .option(
      '--oidc-provider <host/path>',
      'the OpenID provider of the cluster that the role is for (default: EKS is asked)',
    )
    .option('--namespace <name>', 'where it is installed there', namespace)
