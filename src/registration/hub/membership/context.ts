import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done } from '../../../core/outcome.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { HubDriver } from '../../drivers/driver.ts'
import type { HubDeps } from '../deps.ts'
import type { CommonRoles } from './common-roles.ts'
import type { DrainWatches } from './drain-watches.ts'

/** What every step of a membership needs. */
export interface Membership extends HubDeps {
  drivers: readonly HubDriver[]
  commonRoles: CommonRoles
  drainWatches: DrainWatches
  /** The uids of clusters that this process let go itself, until they are seen to be gone. */
  removed: Set<string>
  /** Since when this process sees a record in a namespace without any cluster of the name, in milliseconds. */
  aloneSince: Map<string, number>
}

export type Cluster = Stored<ManagedCluster>

/** What is not empty yet is looked at again after this, should the watch for it miss the end. */
export const lookAgainMs = 5_000

/** One after the other; the first that is not done ends it, so that nothing later builds on it. */
export async function inOrder(steps: readonly (() => Promise<Outcome>)[]): Promise<Outcome> {
  for (const step of steps) {
    const outcome = await step()
    if (outcome.outcome !== 'done') return outcome
  }
  return done
}

/** All at a time, and all of them to their end: one failure is thrown as it is, several as one that tells them all. */
export async function together(acts: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(acts)).flatMap((act) => (act.status === 'rejected' ? [act.reason] : []))
  if (failed.length === 1) throw failed[0]
  if (failed.length > 1) throw new AggregateError(failed, [...new Set(failed.map(messageOf))].join('; '))
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
