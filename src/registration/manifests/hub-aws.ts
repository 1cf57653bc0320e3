import type { ServiceAccount } from 'kubernetes-types/core/v1.d.ts'
import { ownDomain } from '../../core/own-domain.ts'
import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { boundRole, rule, serviceAccount } from '../../fleet/manifests/rbac.ts'
import { flags, pairs } from './pod.ts'

/** What a hub that clusters join by AWS IAM is told. */
export interface HubAws {
  hubClusterArn: string
  /** Clusters whose ARN matches one of them from end to end are let in without asking. */
  autoApprovedArnPatterns?: readonly string[]
  /** On every role and access entry that is made. */
  resourceTags?: Readonly<Record<string, string>>
  /** The role of the hub's pod. Absent: the hub has none, and whoever accepts a cluster makes its role. */
  creatorRoleArn?: string
}

/** By which EKS gives a pod a role. */
export const roleArnAnnotation = 'eks.amazonaws.com/role-arn'

const hubArnAnnotation = `${ownDomain}/hub-cluster-arn`
const tagsAnnotation = `${ownDomain}/aws-resource-tags`

/**
 * On the account of the hub, which is there wherever the hub itself runs: one place for the pod's role, and for what
 * `lanyard accept` has to know where it does the work of a hub without a role.
 */
export const hubAccountAnnotations = (aws: HubAws | undefined): Record<string, string> | undefined =>
  aws && {
    [hubArnAnnotation]: aws.hubClusterArn,
    ...(Object.keys(aws.resourceTags ?? {}).length > 0 && { [tagsAnnotation]: pairs(aws.resourceTags).join(',') }),
    ...(aws.creatorRoleArn && { [roleArnAnnotation]: aws.creatorRoleArn }),
  }

/** What the account of a hub says; tags as they are written, `k=v`. */
export interface AccountOfAwsHub {
  hubClusterArn?: string
  resourceTags: readonly string[]
  hasRole: boolean
}

export function readHubAccount({ metadata }: ServiceAccount): AccountOfAwsHub {
  const { [hubArnAnnotation]: hubClusterArn, [tagsAnnotation]: tags = '', ...more } = metadata?.annotations ?? {}
  return {
    ...(hubClusterArn !== undefined && { hubClusterArn }),
    resourceTags: tags.split(',').filter((tag) => tag !== ''),
    hasRole: more[roleArnAnnotation] !== undefined,
  }
}

/** Each pattern by a flag of its own, which is how they are read most easily. */
export const hubAwsArguments = ({ hubClusterArn, autoApprovedArnPatterns = [], resourceTags }: HubAws): string[] => [
  ...flags({ 'hub-cluster-arn': hubClusterArn }),
  ...autoApprovedArnPatterns.flatMap((pattern) => flags({ 'auto-approved-arn-patterns': pattern })),
  ...flags({ 'aws-resource-tags': pairs(resourceTags) }),
]

/** Node groups and administrators keep their roles there too. Create cannot be limited to a name. */
export const awsAuthConfigMap = { namespace: 'kube-system', name: 'aws-auth' } as const

/** For hubs whose EKS cluster knows roles by that ConfigMap; for all that join by AWS IAM, as the mode may change. */
export const hubAwsRbacManifests = (account: { namespace: string; name: string }): Manifest[] =>
  boundRole(
    awsAuthConfigMap.namespace,
    'lanyard-hub-aws-auth',
    [rule('', ['configmaps'], ['get', 'update'], [awsAuthConfigMap.name]), rule('', ['configmaps'], ['create'])],
    [serviceAccount(account.namespace, account.name)],
  )
