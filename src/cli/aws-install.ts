import { arnMatcher } from '../registration/drivers/awsirsa/arn-patterns.ts'
import type { EksCluster } from '../registration/drivers/awsirsa/names.ts'
import {
  creatorRoleName,
  managedRoleArn,
  parseEksArn,
  roleArn,
  whyApart,
} from '../registration/drivers/awsirsa/names.ts'
import { parseTags } from '../registration/drivers/awsirsa/tags.ts'
import type { AgentAws } from '../registration/manifests/agent.ts'
import type { HubAws } from '../registration/manifests/hub-aws.ts'
import type { AgentAwsOptions, HubAwsOptions } from './aws-install-flags.ts'
import { failures } from './failures.ts'
import { gatesWith, hubGates } from './feature-gates.ts'

/** Throws for what is no ARN of an EKS cluster, with the flag. */
export function eksClusterOf(flag: string, text: string): EksCluster {
  const parsed = parseEksArn(text)
  if ('wrong' in parsed) throw failures.FLAG_MALFORMED({ flag, detail: parsed.wrong })
  return parsed
}

/** The cluster of a kubeconfig by what that calls it: `aws eks update-kubeconfig` puts the ARN there. */
export function eksClusterIn(cluster: string | undefined): EksCluster | undefined {
  const parsed = parseEksArn(cluster ?? '')
  return 'wrong' in parsed ? undefined : parsed
}

/**
 * How a hub is installed that has the driver awsirsa. Throws for what could not be meant.
 * @param context what the kubeconfig calls the hub, which is told of where no flag says its ARN
 */
export function hubAwsOf(
  options: HubAwsOptions & { featureGates?: Record<string, boolean> },
  context?: string,
): HubAws & { hub: EksCluster } {
  const { hubClusterArn, autoApprovedArnPatterns: patterns = [], awsResourceTags = [] } = options
  const hub = hubClusterArn === undefined ? eksClusterIn(context) : eksClusterOf('--hub-cluster-arn', hubClusterArn)
  if (!hub) throw failures.DRIVER_NEEDS_FLAG({ driver: 'awsirsa', flag: '--hub-cluster-arn' })
  const flag = '--auto-approved-arn-patterns'
  if (patterns.length > 0 && !gatesWith(hubGates, options.featureGates).ManagedClusterAutoApproval)
    throw failures.APPROVAL_WITHOUT_GATE({ flag })
  const matcher = arnMatcher(patterns)
  if ('wrong' in matcher) throw failures.FLAG_MALFORMED({ flag, detail: matcher.wrong })
  const parsed = parseTags(awsResourceTags)
  if ('wrong' in parsed) throw failures.FLAG_MALFORMED({ flag: '--aws-resource-tags', detail: parsed.wrong })
  return {
    hub,
    hubClusterArn: hub.arn,
    ...(patterns.length > 0 && { autoApprovedArnPatterns: patterns }),
    ...(awsResourceTags.length > 0 && { resourceTags: parsed.tags }),
    ...((options.awsCreatorRole ?? patterns.length > 0) && { creatorRoleArn: creatorRoleArn(hub) }),
  }
}

function creatorRoleArn(hub: EksCluster): string {
  const name = creatorRoleName(hub)
  if (typeof name !== 'string') throw failures.FLAG_MALFORMED({ flag: '--aws-creator-role', detail: name.wrong })
  return roleArn(hub, name)
}

/** How an agent is installed that joins by AWS IAM. @param context as for a hub */
export function agentAwsOf(
  options: AgentAwsOptions,
  context?: string,
): AgentAws & { hub: EksCluster; managed: EksCluster } {
  const {
    registrationAuth: driver,
    eksHubClusterArn,
    hubClusterArn,
    managedClusterArn,
    awsExec,
    awsExecCommand,
  } = options
  const flag =
    eksHubClusterArn === undefined && hubClusterArn !== undefined ? '--hub-cluster-arn' : '--eks-hub-cluster-arn'
  const given = eksHubClusterArn ?? hubClusterArn
  if (given === undefined) throw failures.DRIVER_NEEDS_FLAG({ driver, flag })
  if (hubClusterArn !== undefined && hubClusterArn !== given)
    throw failures.FLAG_MALFORMED({
      flag,
      detail: 'is the same as --hub-cluster-arn, and the two differ; leave one out',
    })
  const hub = eksClusterOf(flag, given)
  const managed =
    managedClusterArn === undefined ? eksClusterIn(context) : eksClusterOf('--managed-cluster-arn', managedClusterArn)
  if (!managed) throw failures.AWS_CLUSTER_UNNAMED({ driver })
  const apart = whyApart(hub, managed)
  if (apart !== undefined) throw failures.FLAG_MALFORMED({ flag, detail: apart })
  return {
    hub,
    managed,
    hubClusterArn: hub.arn,
    managedClusterArn: managed.arn,
    roleArn: managedRoleArn(hub, managed),
    ...(awsExec && { exec: awsExec }),
    ...(awsExecCommand && { execCommand: awsExecCommand }),
  }
}

/** The identifier of a cluster in AWS is made of what EKS calls it, which people take for the other name. */
export const namesDiffer = (clusterName: string | undefined, managed: EksCluster): string | undefined =>
  clusterName === undefined || clusterName === managed.name
    ? undefined
    : `the hub will know this cluster as ${clusterName}, and EKS knows it as ${managed.name}: the names of its roles are made with the latter`
