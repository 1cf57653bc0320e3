import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done, requeueAfter } from '../../../core/outcome.ts'
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
  const { clusterRights, bindings, namespace } = traces(membership, name)
  if (!clusterRights && !bindings && !namespace && !last) return done
  // The informer may only be late to see it, and what follows cannot be undone.
  if (await membership.kube.of(ManagedCluster.resource).find(name, { signal })) return done
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
  return left || worksLeft > 0 ? requeueAfter(lookAgainMs) : done
}

/** What an earlier cluster of the same name left behind must not be there for one that was never accepted. */
export async function clearUpBefore(membership: Membership, name: string, signal: AbortSignal): Promise<Outcome> {
  const { clusterRights, bindings } = traces(membership, name)
  if (!clusterRights && !bindings) return done
  return (await removeRights(membership, name, signal)) > 0 ? requeueAfter(lookAgainMs) : done
}
