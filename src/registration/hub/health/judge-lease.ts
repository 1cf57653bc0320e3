import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { findCondition } from '../../../core/conditions.ts'
import { conditions } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import { staleAt } from '../heartbeats.ts'

export interface LeaseFacts {
  cluster: Stored<ManagedCluster>
  hasLease: boolean
  /** One that takes new objects. */
  hasNamespace: boolean
  /** When the cluster was last heard, or could first have been. */
  heardAt: Date
  now: Date
  graceFactor: number
}

export type LeaseVerdict =
  | { action: 'nothing' }
  | { action: 'create' }
  /** Until it counts as unreachable. */
  | { action: 'wait'; ms: number }
  | { action: 'unreachable' }

/** The hub only ever says Unknown: whether a cluster is available is for its agent to tell. */
export function judgeLease(facts: LeaseFacts): LeaseVerdict {
  const { cluster, hasLease, hasNamespace, heardAt, now, graceFactor } = facts
  const isUnknown = findCondition(cluster.status?.conditions, conditions.available)?.status === 'Unknown'
  const unreachable: LeaseVerdict = { action: isUnknown ? 'nothing' : 'unreachable' }
  if (cluster.metadata.deletionTimestamp && !hasLease) return unreachable
  // In any status: one that was denied falls silent, and is told to have.
  if (!findCondition(cluster.status?.conditions, conditions.accepted)) return { action: 'nothing' }
  if (!hasLease) return { action: hasNamespace ? 'create' : 'nothing' }
  const leftMs = staleAt(cluster, heardAt, { leaseGraceFactor: graceFactor }).getTime() - now.getTime()
  return leftMs > 0 ? { action: 'wait', ms: leftMs } : unreachable
}
