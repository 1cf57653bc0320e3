import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { findCondition } from '../../../core/conditions.ts'
import { conditions } from '../../../fleet/names.ts'
import type { Heartbeat } from './lease.ts'

export interface UnknownWatch {
  /** Takes note of the newest state; at the first sight of Unknown the lease is renewed at once. */
  see(mine: ManagedCluster): void
  /** Whether the hub has taken a renewal after it was seen to say Unknown; true when it does not. */
  hasRenewedSince(mine: ManagedCluster): boolean
}

/** Follows whether the hub has heard of the agent again since it lost it. */
export function unknownWatch(pulse: Pick<Heartbeat, 'renewals' | 'renewNow'>): UnknownWatch {
  /** The count of renewals when Unknown was seen first. */
  let renewals: number | undefined
  const see = (mine: ManagedCluster) => {
    if (findCondition(mine.status?.conditions, conditions.available)?.status !== 'Unknown') renewals = undefined
    else if (renewals === undefined) {
      renewals = pulse.renewals
      pulse.renewNow()
    }
  }
  return {
    see,
    hasRenewedSince(mine) {
      see(mine)
      return renewals === undefined || pulse.renewals > renewals
    },
  }
}
