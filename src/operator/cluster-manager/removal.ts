import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { ClusterManager } from '../../apis/operator/cluster-manager.ts'
import type { Outcome } from '../../core/outcome.ts'
import { done, requeueAfter } from '../../core/outcome.ts'
import type { Reason } from '../../core/reason.ts'
import { rbacNames } from '../../fleet/names.ts'
import { dropFinalizers } from '../../fleet/wanted/ensure.ts'
import { isNotFound } from '../../kube/failures.ts'
import { clusterRoles, deployments, leases, namespaces, secrets } from '../../kube/kinds.ts'
import type { Stored } from '../../kube/objects.ts'
import { bootstrapAccount } from '../../registration/manifests/bootstrap.ts'
import { hubService } from '../../registration/manifests/hub.ts'
import { hubCaSecret } from '../../registration/manifests/hub-rbac.ts'
import { isMadeFor } from '../apply.ts'
import type { OperatorDeps } from '../deps.ts'
import { isAwsAuthBinding } from '../manifests/aws-auth.ts'
import { conditions, finalizers } from '../names.ts'
import { reasons } from '../reasons.ts'
import { relatedOf, removeRelated } from '../related.ts'
import { statusWriter } from '../status.ts'
import { hubParts } from './manifests.ts'

interface Job {
  manager: Stored<ClusterManager>
  deps: OperatorDeps
  signal: AbortSignal
}

const lookAgainMs = 2_000
/** Only the names of what came with it matter. */
const anyAws = { hubClusterArn: '' }

/**
 * Not before the last cluster has left: only a running hub can clean up after it. The webhooks go first, because they
 * fail closed and nobody would answer; then the hub, what it kept, what it was allowed, and the finalizer last.
 */
export async function removeClusterManager({ manager, deps, signal }: Job): Promise<Outcome> {
  const { kube, settings, events } = deps
  const { name, uid, finalizers: held = [] } = manager.metadata
  if (!held.includes(finalizers.clusterManager)) return done
  const collection = kube.of(ClusterManager.resource)
  const status = statusWriter(collection, manager, { ...deps, signal })
  const wait = async (reason: Reason, message: string) => {
    await status.write({ conditions: [{ type: conditions.deleting, status: 'False', reason, message }] })
    return requeueAfter(lookAgainMs)
  }
  const listed = manager.status?.relatedResources ?? []
  if (listed.length > 0) {
    const clusters = await clusterNames(deps, signal)
    if (clusters.length > 0)
      return await wait(reasons.ClustersRemaining, `Take these off with \`lanyard unjoin\` first: ${some(clusters)}.`)
    const namespace = settings.hubNamespace
    const parts = hubParts({ namespace, image: '', ...(listed.some(isAwsAuthBinding) && { aws: anyAws }) }, '')
    await removeRelated(kube, parts.webhooks.map(relatedOf), signal)
    const hubs = kube.of(deployments, namespace)
    await hubs.delete(hubService, { signal, propagationPolicy: 'Foreground' })
    if (await hubs.metadata.find(hubService, { signal }))
      return await wait(reasons.ResourceRemaining, `Deployment ${namespace}/${hubService} is still there.`)
    await kube.of(secrets, namespace).delete(hubCaSecret, { signal })
    await kube.of(leases, namespace).delete(hubService, { signal })
    for (const role of [rbacNames.registrationRole, rbacNames.workRole])
      await kube.of(clusterRoles).delete(role, { signal })
    await removeRelated(kube, [...parts.rights, ...parts.workloads].map(relatedOf).toReversed(), signal)
    for (const one of [namespace, bootstrapAccount.namespace])
      if (await isMadeFor(kube, one, uid, signal)) await kube.of(namespaces).delete(one, { signal })
  }
  const latest = await collection.find(name, { signal })
  if (latest?.metadata.uid === uid) await dropFinalizers(collection, latest, [finalizers.clusterManager], signal)
  events.record(ClusterManager.resource, manager, {
    reason: reasons.ClusterManagerRemoved,
    message: 'The hub is gone. The kinds of the fleet stay: to delete them deletes all that is of them.',
  })
  return done
}

async function clusterNames({ kube }: OperatorDeps, signal: AbortSignal): Promise<string[]> {
  try {
    const { items } = await kube.of(ManagedCluster.resource).metadata.list({ signal })
    return items.map(({ metadata }) => metadata.name)
  } catch (error) {
    // There is no such kind any more, so no cluster either.
    if (isNotFound(error)) return []
    throw error
  }
}

const some = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')
