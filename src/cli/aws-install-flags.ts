import type { Command } from 'commander'
import { Option } from 'commander'
import { failures } from './failures.ts'
import { listOf, patternsOf } from './flag-values.ts'

/** What `init` and `deploy hub` are told of a hub that clusters join by AWS IAM. */
export interface HubAwsOptions {
  hubClusterArn?: string
  autoApprovedArnPatterns?: string[]
  /** Each as it stands, `k=v`. */
  awsResourceTags?: string[]
  awsCreatorRole?: boolean
}

/** What `join` and `deploy agent` are told of a cluster that joins by AWS IAM. */
export interface AgentAwsOptions {
  registrationAuth: string
  eksHubClusterArn?: string
  hubClusterArn?: string
  managedClusterArn?: string
  awsExec?: 'lanyard' | 'aws'
  awsExecCommand?: string
}

export const withHubAwsFlags = (command: Command): Command =>
  command
    .option('--hub-cluster-arn <arn>', 'with awsirsa: the EKS cluster that is the hub')
    .option(
      '--auto-approved-arn-patterns <list>',
      'with awsirsa: EKS clusters that are let in without asking',
      patternsOf,
    )
    .option('--aws-resource-tags <pairs>', 'with awsirsa: k=v,k2=v2 on every role and access entry', listOf)
    .option(
      '--aws-creator-role',
      'with awsirsa: the hub makes the roles of clusters itself, by its role <hub>_managed-cluster-identity-creator (default: only with --auto-approved-arn-patterns; else whoever runs lanyard accept makes them)',
    )

export const withAgentAwsFlags = (command: Command): Command =>
  command
    .option('--registration-auth <driver>', 'how to join: csr, awsirsa', 'csr')
    .option('--eks-hub-cluster-arn <arn>', 'with awsirsa: the EKS cluster that is the hub')
    .addOption(new Option('--hub-cluster-arn <arn>', 'the same').hideHelp())
    .option('--managed-cluster-arn <arn>', 'with awsirsa: the EKS cluster that joins')
    .addOption(
      new Option(
        '--aws-exec <program>',
        'with awsirsa: what the kubeconfig for others than the agent calls for a token (default: lanyard)',
      ).choices(['lanyard', 'aws']),
    )
    .option('--aws-exec-command <path>', 'with awsirsa: where they find that program (default: on their PATH)')

/** For agents that join otherwise: whoever gives one of them means it. */
export function refuseAwsFlags(options: AgentAwsOptions): void {
  const given = {
    '--eks-hub-cluster-arn': options.eksHubClusterArn,
    '--hub-cluster-arn': options.hubClusterArn,
    '--managed-cluster-arn': options.managedClusterArn,
    '--aws-exec': options.awsExec,
    '--aws-exec-command': options.awsExecCommand,
  }
  for (const [flag, value] of Object.entries(given))
    if (value !== undefined)
      throw failures.FLAG_NEEDS_DRIVER({ flag, driver: 'awsirsa', driversFlag: '--registration-auth' })
}
