import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { rfc3339 } from '../../../core/conditions.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done, requeueAfter } from '../../../core/outcome.ts'
import { annotations } from '../../../fleet/names.ts'
import { isAbsent } from '../../../kube/failures.ts'
import { namespaces } from '../../../kube/kinds.ts'
import type { Cluster, Membership } from './context.ts'
import { inOrder, lookAgainMs } from './context.ts'
import { removeRights } from './deletion.ts'
import { collectGarbage } from './garbage.ts'
import { traces } from './rights.ts'

/**
 * Clears up after a ManagedCluster that is gone, as after one whose finalizers somebody removed. Its rights go first:
 * nobody will deny it any more. `last` is how it was seen last, when this process saw it.
 */
export async function clearUp(
  membership: Membership,
  name: string,
  last: Cluster | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  const { clusterRights, bindings, namespace, cleared } = traces(membership, name)
  if (!clusterRights && !bindings && !last && (!namespace || cleared)) return done
  // The informer may only be late to see it, and what follows cannot be undone.
  if (await membership.kube.of(ManagedCluster.resource).find(name, { signal })) return done
  // Before the rights, by which the next hub would know that there is something to do.
  if (cleared) await mark(membership, name, null, signal)
  const worksLeft = clusterRights || bindings ? await removeRights(membership, name, signal) : 0
  const revoked = last
    ? await inOrder(
        membership.drivers.map(
          ({ grant }) =>
            () =>
              grant.revoke(last),
        ),
      )
    : done
  if (revoked.outcome !== 'done') return revoked
  const left = namespace ? await collectGarbage(membership, name, signal) : undefined
  if (left || worksLeft > 0) return requeueAfter(lookAgainMs)
  if (namespace) await mark(membership, name, rfc3339(membership.clock.now()), signal)
  return done
}

/** Namespaces stay for good; without a mark each of them would be searched at every start of the hub. */
async function mark(
  { kube, view }: Membership,
  name: string,
  cleared: string | null,
  signal: AbortSignal,
): Promise<void> {
  const namespace = view.namespaces.get(name)
  if (!namespace || namespace.metadata.deletionTimestamp) return
  const body = { metadata: { uid: namespace.metadata.uid, annotations: { [annotations.cleared]: cleared } } }
  try {
    await kube.of(namespaces).patch(name, { type: 'merge', body }, { signal })
  } catch (error) {
    if (!isAbsent(error)) throw error
  }
}

/** What an earlier cluster of the same name left behind must not be there for one that was never accepted. */
export async function clearUpBefore(membership: Membership, name: string, signal: AbortSignal): Promise<Outcome> {
  const { clusterRights, bindings } = traces(membership, name)
  if (!clusterRights && !bindings) return done
  return (await removeRights(membership, name, signal)) > 0 ? requeueAfter(lookAgainMs) : done
}
