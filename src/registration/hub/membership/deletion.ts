import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { ConditionReport } from '../../../core/conditions.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done, requeueAfter } from '../../../core/outcome.ts'
import { conditions, finalizers } from '../../../fleet/names.ts'
import { dropFinalizers } from '../../../fleet/wanted/ensure.ts'
import { isOnRecord } from '../../drivers/marks.ts'
import { reasons } from '../../reasons.ts'
import { revokeFrom } from './by-driver.ts'
import type { Cluster, Membership } from './context.ts'
import { lookAgainMs, messageOf, together } from './context.ts'
import type { Remaining } from './garbage.ts'
import { collectGarbage } from './garbage.ts'
import { hasFinalizer } from './phase.ts'
import { dropCopy } from './record-copy.ts'
import { report, reporting, shortened } from './report.ts'
import { removeClusterRights, removeRegistrationBinding, removeWorkBinding } from './rights.ts'

const deleting = (status: 'True' | 'False', reason: ConditionReport['reason'], message: string): ConditionReport => ({
  type: conditions.deleting,
  status,
  reason,
  message: shortened(message),
})

export const stillThere = ({ resource, count, held }: Remaining): ConditionReport =>
  deleting(
    'False',
    reasons.ResourceRemaining,
    held === 0
      ? `${resource}: ${count} remaining, 0 of them held by finalizers`
      : `${resource}: ${count} remaining, ${held} of them held by finalizers, which whoever set them has to remove`,
  )

const failed = (message: string) => deleting('False', reasons.DeletingError, message)
const couldNot = (error: unknown) => failed(`${messageOf(error)}; the hub tries again`)
const nothingLeft = deleting('True', reasons.NoResource, 'No add-ons or works of the cluster are left')

/** First what is in the namespace, while the agent still has the rights to clear up; then the rights; then the cluster. */
export async function remove(membership: Membership, cluster: Cluster, signal: AbortSignal): Promise<Outcome> {
  return await reporting(membership, cluster, couldNot, signal, async () => {
    const begun = await revokeBegun(membership, cluster, signal)
    if (begun.outcome !== 'done') return begun
    const { outcome, cluster: emptied } = await empty(membership, cluster, signal)
    if (outcome.outcome !== 'done' || !hasFinalizer(emptied, finalizers.apiResourceCleanup)) return outcome
    // Before what others have to take back: whoever cannot be asked for hours does not keep the rights alive.
    const worksLeft = await removeRights(membership, emptied.metadata.name, signal)
    if (worksLeft > 0) return requeueAfter(lookAgainMs)
    membership.checkpoint('deletion.rbac-removed')
    const revoked = await revoke(membership, emptied, signal)
    if (revoked.outcome !== 'done') return revoked
    membership.removed.add(emptied.metadata.uid)
    await dropFinalizers(collectionOf(membership), emptied, [finalizers.apiResourceCleanup], signal)
    membership.checkpoint('deletion.finalizer-dropped')
    return done
  })
}

async function revoke(membership: Membership, cluster: Cluster, signal: AbortSignal): Promise<Outcome> {
  const revoked = await revokeFrom(membership, cluster, signal)
  if (revoked.outcome === 'terminal') await report(membership, cluster, failed(revoked.failure.message), signal)
  if (revoked.outcome === 'done') await dropCopy(membership, cluster, signal)
  return revoked
}

/** Whoever makes something outside in the hub's place may not get as far as the acceptance, from which on it is held. */
const revokeBegun = async (membership: Membership, cluster: Cluster, signal: AbortSignal): Promise<Outcome> =>
  isOnRecord(cluster) && !hasFinalizer(cluster, finalizers.apiResourceCleanup)
    ? await revoke(membership, cluster, signal)
    : done

/** A cluster that never had anything on the hub, whoever put our finalizers on it, or made something for it outside. */
export async function release(membership: Membership, cluster: Cluster, signal: AbortSignal): Promise<Outcome> {
  return await reporting(membership, cluster, couldNot, signal, async () => {
    const revoked = isOnRecord(cluster) ? await revoke(membership, cluster, signal) : done
    if (revoked.outcome !== 'done') return revoked
    const ours = [finalizers.apiResourceCleanup, finalizers.resourceCleanup]
    await dropFinalizers(collectionOf(membership), cluster, ours, signal)
    return done
  })
}

/** Every right of a cluster. How many works hold the last one back. */
export async function removeRights(membership: Membership, cluster: string, signal: AbortSignal): Promise<number> {
  const removingWork = removeWorkBinding(membership, cluster, signal)
  await together([
    removeClusterRights(membership, cluster, signal),
    removeRegistrationBinding(membership, cluster, signal),
    removingWork,
  ])
  return await removingWork
}

async function empty(
  membership: Membership,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<{ outcome: Outcome; cluster: Cluster }> {
  if (!hasFinalizer(cluster, finalizers.resourceCleanup)) return { outcome: done, cluster }
  const left = await collectGarbage(membership, cluster.metadata.name, signal)
  const reported = await report(membership, cluster, left ? stillThere(left) : nothingLeft, signal)
  if (left) return { outcome: requeueAfter(lookAgainMs), cluster: reported }
  const dropped = await dropFinalizers(collectionOf(membership), reported, [finalizers.resourceCleanup], signal)
  return { outcome: done, cluster: dropped ?? reported }
}

const collectionOf = ({ kube }: Membership) => kube.of(ManagedCluster.resource)
