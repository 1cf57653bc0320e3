import { awsAnnotations, claimOf } from './hub-annotations.ts'
import type { EksCluster } from './names.ts'
import { roleSuffix } from './names.ts'

/** What an agent writes when it makes its ManagedCluster: the seed's form and the field's, for hubs of either kind. */
export const awsJoinAnnotations = (hub: EksCluster, managed: EksCluster): Record<string, string> => ({
  [awsAnnotations.arn]: managed.arn,
  [awsAnnotations.fieldArn]: managed.arn,
  [awsAnnotations.fieldSuffix]: roleSuffix(hub, managed),
})

/** Whether the hub can tell from them that this EKS cluster comes by its AWS identity. */
export function isMarked(
  found: Readonly<Record<string, string>> | undefined,
  hub: EksCluster,
  managed: EksCluster,
): boolean {
  const claimed = claimOf(found, hub)
  return claimed.claim === 'aws' && claimed.managed.arn === managed.arn
}
