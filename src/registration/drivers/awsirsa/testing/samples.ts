import type { ManagedCluster } from '../../../../apis/cluster/managed-cluster.ts'
import type { ArnMatcher } from '../arn-patterns.ts'
import { arnMatcher } from '../arn-patterns.ts'
import { awsAnnotations } from '../hub-annotations.ts'
import type { EksCluster } from '../names.ts'
import { hubRoleArn, hubRoleName, parseEksArn, roleSuffix } from '../names.ts'

/** A hub and a cluster on it, for unit tests. */
export const hubArn = 'arn:aws:eks:us-west-2:123456789012:cluster/hub'
export const managedArn = 'arn:aws:eks:eu-west-1:567890123456:cluster/spoke'

export const eksCluster = (arn: string): EksCluster => {
  const parsed = parseEksArn(arn)
  if ('wrong' in parsed) throw new Error(parsed.wrong)
  return parsed
}

export const arnsLike = (patterns: readonly string[]): ArnMatcher => {
  const matcher = arnMatcher(patterns)
  if ('wrong' in matcher) throw new Error(matcher.wrong)
  return matcher
}

export const hub = eksCluster(hubArn)
export const managed = eksCluster(managedArn)
export const suffix = roleSuffix(hub, managed)
export const roleName = hubRoleName(suffix)
export const roleArn = hubRoleArn(hub, managed)

export const fieldAnnotations = (arn = managedArn): Record<string, string> => ({
  [awsAnnotations.fieldArn]: arn,
  [awsAnnotations.fieldSuffix]: roleSuffix(hub, eksCluster(arn)),
})

export const aManagedCluster = (
  name: string,
  annotations: Record<string, string> = { [awsAnnotations.arn]: managedArn },
): ManagedCluster & { metadata: { name: string } } => ({
  metadata: { name, annotations },
  spec: { hubAcceptsClient: true, leaseDurationSeconds: 60 },
})
