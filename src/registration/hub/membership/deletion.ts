import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { ConditionReport } from '../../../core/conditions.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done, requeueAfter } from '../../../core/outcome.ts'
import { conditions, finalizers } from '../../../fleet/names.ts'
import { dropFinalizers } from '../../../fleet/wanted/ensure.ts'
import { reasons } from '../../reasons.ts'
import type { Cluster, Membership } from './context.ts'
import { inOrder, lookAgainMs, messageOf, together } from './context.ts'
import type { Remaining } from './garbage.ts'
import { collectGarbage } from './garbage.ts'
import { hasFinalizer } from './phase.ts'
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
    const { outcome, cluster: emptied } = await empty(membership, cluster, signal)
    if (outcome.outcome !== 'done' || !hasFinalizer(emptied, finalizers.apiResourceCleanup)) return outcome
    const revoked = await inOrder(
      membership.drivers.map(
        ({ grant }) =>
          () =>
            grant.revoke(emptied),
      ),
    )
    if (revoked.outcome === 'terminal') await report(membership, emptied, failed(revoked.failure.message), signal)
    if (revoked.outcome !== 'done') return revoked
    const worksLeft = await removeRights(membership, emptied.metadata.name, signal)
    if (worksLeft > 0) return requeueAfter(lookAgainMs)
    membership.checkpoint('deletion.rbac-removed')
    membership.removed.add(emptied.metadata.uid)
    await dropFinalizers(collectionOf(membership), emptied, [finalizers.apiResourceCleanup], signal)
    membership.checkpoint('deletion.finalizer-dropped')
    return done
  })
}

/** A cluster that never had anything, whoever put our finalizers on it. */
export async function release(membership: Membership, cluster: Cluster, signal: AbortSignal): Promise<Outcome> {
  const ours = [finalizers.apiResourceCleanup, finalizers.resourceCleanup]
  await dropFinalizers(collectionOf(membership), cluster, ours, signal)
  return done
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
