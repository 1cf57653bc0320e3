import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Failure } from '../../../core/failure.ts'
import type { Stored } from '../../../kube/objects.ts'
import { failures } from './failures.ts'
import { claimOf } from './hub-annotations.ts'
import { wantedRole } from './hub-plan.ts'
import type { AwsRecord } from './hub-record.ts'
import { recordOn } from './hub-record.ts'
import type { EksCluster } from './names.ts'

/** What an accepted cluster is to get in AWS. */
export type Due =
  | { readonly due: 'nothing' }
  | { readonly due: 'refusal'; readonly failure: Failure }
  | { readonly due: 'role'; readonly role: string; readonly managed: EksCluster; readonly onRecord?: AwsRecord }

export function dueTo(cluster: Stored<ManagedCluster>, hub: EksCluster): Due {
  const { name, annotations } = cluster.metadata
  const claim = claimOf(annotations, hub)
  if (claim.claim === 'refused') return { due: 'refusal', failure: claim.failure }
  const onRecord = recordOn(cluster)
  const role = claim.claim === 'aws' ? wantedRole({ hub, managed: claim.managed }) : undefined
  // Whoever accepted the cluster did so for the ARN that it had then.
  if (onRecord && onRecord.role !== role) {
    const now = claim.claim === 'aws' ? claim.managed.arn : 'nothing of AWS'
    return { due: 'refusal', failure: failures.AWS_ARN_CHANGED({ cluster: name, role: onRecord.role, now }) }
  }
  if (claim.claim === 'none' || role === undefined) return { due: 'nothing' }
  return { due: 'role', role, managed: claim.managed, ...(onRecord && { onRecord }) }
}
