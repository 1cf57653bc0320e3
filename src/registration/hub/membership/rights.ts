import { annotations, finalizers, labels, rbacNames } from '../../../fleet/names.ts'
import { dropFinalizers } from '../../../fleet/wanted/ensure.ts'
import { clusterRoleBindings, clusterRoles, roleBindings } from '../../../kube/kinds.ts'
import { isOnRecord } from '../../drivers/marks.ts'
import type { Membership } from './context.ts'
import { together } from './context.ts'
import { worksLeft } from './garbage.ts'

/** The role and its binding, and with them everything the agent may do outside of its namespace. */
export async function removeClusterRights({ kube }: Membership, cluster: string, signal: AbortSignal): Promise<void> {
  const name = rbacNames.cluster(cluster)
  await together([
    kube.of(clusterRoleBindings).delete(name, { signal }),
    kube.of(clusterRoles).delete(name, { signal }),
  ])
}

export async function removeRegistrationBinding(
  { kube }: Membership,
  cluster: string,
  signal: AbortSignal,
): Promise<void> {
  await kube.of(roleBindings, cluster).delete(rbacNames.registrationBinding(cluster), { signal })
}

/**
 * Deletes the binding for works, which stays and keeps its force until the last work is gone: only the agent can remove
 * what works made. How many works it waits for.
 */
export async function removeWorkBinding(membership: Membership, cluster: string, signal: AbortSignal): Promise<number> {
  const collection = membership.kube.of(roleBindings, cluster)
  const name = rbacNames.workBinding(cluster)
  const binding = await collection.find(name, { signal })
  if (!binding) return 0
  const left = await worksLeft(membership, cluster, signal)
  if (left === 0) await dropFinalizers(collection, binding, [finalizers.manifestWorkCleanup], signal)
  // A binding of this name that comes later is another one.
  if (!binding.metadata.deletionTimestamp)
    await collection.delete(name, { signal, preconditions: { uid: binding.metadata.uid } })
  return left
}

export interface Traces {
  clusterRights: boolean
  bindings: boolean
  /** Only one that is labelled as the cluster's own. */
  namespace: boolean
  /** The namespace says that nothing of an earlier cluster is left in it. */
  cleared: boolean
  /** The namespace tells of something outside of the hub that is to be taken back. */
  onRecord: boolean
}

/** What the informers know of a cluster. */
export function traces({ view }: Membership, cluster: string): Traces {
  const name = rbacNames.cluster(cluster)
  const namespace = view.namespaces.get(cluster)
  const bindings = [rbacNames.registrationBinding(cluster), rbacNames.workBinding(cluster)]
  const isOwn = namespace?.metadata.labels?.[labels.clusterName] === cluster
  return {
    clusterRights: Boolean(view.clusterRoles.get(name) ?? view.clusterRoleBindings.get(name)),
    bindings: bindings.some((binding) => view.roleBindings.get(`${cluster}/${binding}`)),
    namespace: isOwn,
    cleared: namespace?.metadata.annotations?.[annotations.cleared] !== undefined,
    onRecord: isOwn && isOnRecord(namespace),
  }
}
