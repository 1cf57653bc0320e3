import type { Command } from 'commander'
import { Option } from 'commander'

/** Of commands that may have to do in AWS what a hub without a role cannot. */
export interface AwsCallerOptions {
  awsCredentials?: 'own' | 'hub'
  hubClusterArn?: string
}

export const withAwsCallerFlags = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--aws-credentials <whose>',
        'who makes and removes roles of EKS clusters: you, or the hub (default: you, where the ServiceAccount of the hub has no role)',
      ).choices(['own', 'hub']),
    )
    .option(
      '--hub-cluster-arn <arn>',
      'with own: the EKS cluster that is the hub (default: as its ServiceAccount says)',
    )
