import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { ConditionReport } from '../../../core/conditions.ts'
import type { Failure } from '../../../core/failure.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { terminal } from '../../../core/outcome.ts'
import { conditions, labels } from '../../../fleet/names.ts'
import { differs, repair } from '../../../fleet/wanted/drift.ts'
import { ensure } from '../../../fleet/wanted/ensure.ts'
import { isAlreadyExists } from '../../../kube/failures.ts'
import { clusterRoleBindings, clusterRoles, namespaces, roleBindings } from '../../../kube/kinds.ts'
import { keyOf } from '../../../kube/objects.ts'
import { reasons } from '../../reasons.ts'
import { taintsToWrite } from '../health/taints.ts'
import { driverOf, grantTo } from './by-driver.ts'
import type { Cluster, Membership } from './context.ts'
import { inOrder, messageOf, together } from './context.ts'
import { failures } from './failures.ts'
import type { Phase } from './phase.ts'
import { hasFinalizer, wantedFinalizers } from './phase.ts'
import { acceptedRbac, clusterNamespace } from './rbac.ts'
import { keepCopy, takeOver } from './record-copy.ts'
import { orApply, report, reporting, shortened } from './report.ts'
import { removeWorkBinding } from './rights.ts'
import { revokeEarlier } from './vanished.ts'

export const accepted: ConditionReport = {
  type: conditions.accepted,
  status: 'True',
  reason: reasons.HubClusterAdminAccepted,
  message: 'Accepted by hub cluster admin',
}

export const notInPlace = (error: unknown): ConditionReport => ({
  type: conditions.accepted,
  status: 'False',
  reason: reasons.Error,
  message: shortened(`${messageOf(error)}; the hub tries again`),
})

/** The same when trying again cannot help. */
export const cannotBe = (failure: Failure): ConditionReport => ({
  ...notInPlace(failure),
  message: shortened(failure.message),
})

/** Puts in place what an accepted cluster needs, and says so. */
export async function accept(membership: Membership, cluster: Cluster, signal: AbortSignal): Promise<Outcome> {
  const { name } = cluster.metadata
  return await reporting(membership, cluster, notInPlace, signal, async () => {
    const held = await ensureFinalizers(membership, cluster, 'accepted', signal)
    const own = await takeOver(membership, held, signal)
    const granted = await inOrder([
      () => revokeEarlier(membership, name, own, signal),
      () => give(membership, own, signal),
    ])
    if (granted.outcome === 'terminal') await report(membership, own, cannotBe(granted.failure), signal)
    if (granted.outcome !== 'done') return granted
    await report(membership, own, accepted, signal)
    membership.checkpoint('acceptance.reported')
    return granted
  })
}

async function give(membership: Membership, cluster: Cluster, signal: AbortSignal): Promise<Outcome> {
  if (driverOf(membership, cluster)) await ensureRights(membership, cluster.metadata.name, signal)
  await keepCopy(membership, cluster, signal)
  return await grantTo(membership, cluster, signal)
}

/** A cluster that can have no rights, because its name is somebody else's. */
export async function refuse(
  membership: Membership,
  cluster: Cluster,
  detail: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const failure = failures.CLUSTER_NAME_RESERVED({ cluster: cluster.metadata.name, detail })
  await report(membership, cluster, cannotBe(failure), signal)
  return terminal(failure)
}

/**
 * In one write, which takes along what its health changes of its taints. Each set of finalizers has a field manager of
 * its own: the one for new clusters, acting on an old view, cannot take away what acceptance added.
 */
export async function ensureFinalizers(
  { kube, checkpoint }: Membership,
  cluster: Cluster,
  phase: Phase,
  signal: AbortSignal,
): Promise<Cluster> {
  const wanted = wantedFinalizers(phase)
  if (wanted.every((finalizer) => hasFinalizer(cluster, finalizer))) return cluster
  const collection = kube.of(ManagedCluster.resource)
  const { name, uid, resourceVersion, finalizers = [] } = cluster.metadata
  const spec = taintsToWrite(cluster)
  const body = {
    metadata: { resourceVersion, finalizers: [...new Set([...finalizers, ...wanted])] },
    ...(spec && { spec }),
  }
  const fieldManager = phase === 'new' ? 'lanyard-cleanup' : 'lanyard-membership'
  const held = await orApply(
    () => collection.patch(name, { type: 'merge', body }, { signal }),
    () => collection.apply({ metadata: { name, uid, finalizers: wanted } }, { fieldManager, force: true, signal }),
  )
  checkpoint('acceptance.finalizers-added')
  return held
}

async function ensureRights(membership: Membership, cluster: string, signal: AbortSignal): Promise<void> {
  const { kube, view, settings } = membership
  const wanted = acceptedRbac(cluster, settings.labels)
  const bindings = kube.of(roleBindings, cluster)
  const inNamespace = (binding: typeof wanted.workBinding) =>
    ensure(bindings, binding, view.roleBindings.get(`${cluster}/${keyOf(binding)}`), signal)
  const { clusterRole, clusterRoleBinding, registrationBinding, workBinding } = wanted
  const { name } = clusterRole.metadata
  // A role before its bindings: Kubernetes lets only its admins bind to what is not there yet.
  await together([
    ensure(kube.of(clusterRoles), clusterRole, view.clusterRoles.get(name), signal).then(() =>
      ensure(kube.of(clusterRoleBindings), clusterRoleBinding, view.clusterRoleBindings.get(name), signal),
    ),
    together([membership.commonRoles.ensure(signal), ensureNamespace(membership, cluster, signal)]).then(() =>
      together([inNamespace(registrationBinding), inNamespace(workBinding)]),
    ),
  ])
  membership.checkpoint('acceptance.rbac-applied')
}

/** One that is there already is adopted: it gets our labels and keeps all it has. */
async function ensureNamespace(membership: Membership, cluster: string, signal: AbortSignal): Promise<void> {
  const { kube, view, settings, checkpoint } = membership
  const collection = kube.of(namespaces)
  const wanted = clusterNamespace(cluster, settings.labels)
  let existing = view.namespaces.get(cluster)
  if (!existing) {
    try {
      await collection.create(wanted, { signal })
      checkpoint('acceptance.namespace-created')
      return
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      existing = await collection.get(cluster, { signal })
    }
  }
  if (existing.metadata.deletionTimestamp) {
    await removeWorkBinding(membership, cluster, signal)
    // Its label brings the cluster back once it is gone.
    if (existing.metadata.labels?.[labels.clusterName] !== cluster)
      await collection.patch(cluster, { type: 'merge', body: repair(wanted, existing) }, { signal })
    throw failures.NAMESPACE_TERMINATING({ namespace: cluster })
  }
  if (!differs(wanted, existing)) return
  await collection.patch(cluster, { type: 'merge', body: repair(wanted, existing) }, { signal })
  checkpoint('acceptance.namespace-created')
}
