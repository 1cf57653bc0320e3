import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Condition, ConditionReport } from '../../../core/conditions.ts'
import { findCondition, setCondition } from '../../../core/conditions.ts'
import { isAbort } from '../../../core/lifecycle.ts'
import { isConflict } from '../../../kube/failures.ts'
import type { Cluster, Membership } from './context.ts'

/**
 * Sets one condition, or does nothing when it is so already. The agent and other controllers write to the same status,
 * and none of them can make this fail or lose what it says; see `orApply`.
 */
export async function report(
  { kube, clock }: Membership,
  cluster: Cluster,
  condition: ConditionReport,
  signal: AbortSignal,
): Promise<Cluster> {
  const before = cluster.status?.conditions
  const after = setCondition(before, condition, clock.now())
  if (after === before) return cluster
  const collection = kube.of(ManagedCluster.resource)
  const { name, uid, resourceVersion } = cluster.metadata
  const body = { metadata: { resourceVersion }, status: { conditions: after } }
  const own = { metadata: { name, uid }, status: { conditions: after.filter(({ type }) => type === condition.type) } }
  const fieldManager = `lanyard-${condition.type}`
  return await orApply(
    () => collection.patch(name, { type: 'merge', body }, { subresource: 'status', signal }),
    () => collection.apply(own, { fieldManager, force: true, subresource: 'status', signal }),
  )
}

/**
 * A patch guarded by the version first, for it costs the server half of what an apply does; if somebody wrote in
 * between, as happens while a cluster joins, the apply, which nobody's write can fail. It carries the uid, so that it
 * does not make a cluster again that is gone.
 */
export async function orApply<R>(patch: () => Promise<R>, apply: () => Promise<R>): Promise<R> {
  try {
    return await patch()
  } catch (error) {
    if (!isConflict(error)) throw error
    return await apply()
  }
}

/**
 * Runs `act`; what it throws is thrown on, and reported unless that is beside the point: the process is about to stop,
 * or the object was read a moment too early.
 */
export async function reporting<R>(
  membership: Membership,
  cluster: Cluster,
  describe: (error: unknown) => ConditionReport,
  signal: AbortSignal,
  act: () => Promise<R>,
): Promise<R> {
  try {
    return await act()
  } catch (error) {
    if (signal.aborted || isAbort(error, signal) || isConflict(error)) throw error
    try {
      await report(membership, cluster, describe(error), signal)
    } catch (err) {
      membership.log.debug({ err, cluster: cluster.metadata.name }, 'failure could not be reported')
    }
    throw error
  }
}

/** Conditions hold 32 KiB; nobody reads that much. */
export const shortened = (message: string): string => (message.length > 1_000 ? `${message.slice(0, 999)}…` : message)

export const conditionOf = (cluster: Cluster, type: string): Condition | undefined =>
  findCondition(cluster.status?.conditions, type)
