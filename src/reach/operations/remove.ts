import { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { isFailure } from '../../core/failure.ts'
import type { Step } from '../../core/step.ts'
import { spokeAnnotations, spokeLabels } from '../../fleet/spoke/names.ts'
import { isForbidden } from '../../kube/failures.ts'
import { secrets } from '../../kube/kinds.ts'
import { isAsked, isHandedOver } from '../overview/pending-asks.ts'
import { findClusterConfig } from '../overview/read-cluster-configs.ts'
import type { ReachOperationDeps } from './deps.ts'

export interface RemoveWish {
  name: string
  /** Where Secrets are looked for when the ClusterConfig is gone already. */
  fallbackNamespace: string
  namespace?: string | undefined
}

/**
 * Takes the hub's way into a cluster away, with the Secrets that were made for it, and no longer asks its agent for one.
 * Repeats well.
 */
export async function* removeReach(wish: RemoveWish, deps: ReachOperationDeps): AsyncGenerator<Step> {
  const { name, fallbackNamespace } = wish
  const { kube, signal } = deps
  yield { doing: `taking the way into ${name} away` }
  const found = await findClusterConfig(kube, name, { signal, namespace: wish.namespace }).catch((error: unknown) => {
    if (isFailure(error, 'REACH_UNKNOWN')) return undefined
    throw error
  })
  const namespace = found?.metadata.namespace ?? wish.namespace ?? fallbackNamespace
  const asksNoMore = { did: `the hub asks the agent of ${name} for no way in any more` }
  if (found && isHandedOver(found) && (await isWithdrawn(found.metadata.labels?.[spokeLabels.cluster] ?? name, deps)))
    yield { ...asksNoMore, detail: 'what it handed over goes now' }
  else {
    if (found) {
      await kube.of(ClusterConfig.resource, namespace).delete(name, { signal })
      yield { did: `the hub has no way into ${name} any more`, detail: `ClusterConfig ${namespace}/${name}` }
    }
    const isPending = !(await isElsewhere(name, namespace, deps))
    if (isPending && (await isWithdrawn(name, deps))) yield { ...asksNoMore, detail: 'it had not handed one over' }
    else if (!found) yield { did: `there is no ClusterConfig ${name}` }
  }
  const removed = await removeSecrets(name, namespace, deps)
  if (removed.length > 0) yield { did: 'its Secrets are gone', detail: removed.join(', ') }
}

/** Whether the agent's answer is in a namespace that was not meant: it goes with the wish for it, so the wish stays. */
async function isElsewhere(name: string, namespace: string, { kube, signal }: ReachOperationDeps): Promise<boolean> {
  if (namespace === name) return false
  const answer = await unlessForbidden(kube.of(ClusterConfig.resource, name).find(name, { signal }))
  return answer !== undefined && isHandedOver(answer)
}

/** What an agent handed over would come back as long as it is asked. False where it is not. */
async function isWithdrawn(cluster: string, { kube, signal }: ReachOperationDeps): Promise<boolean> {
  const clusters = kube.of(ManagedCluster.resource)
  const found = await unlessForbidden(clusters.find(cluster, { signal }))
  if (!found || !isAsked(found.metadata)) return false
  const body = { metadata: { annotations: { [spokeAnnotations.reach]: null } } }
  await clusters.patch(cluster, { type: 'merge', body }, { signal })
  return true
}

async function unlessForbidden<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking
  } catch (error) {
    if (isForbidden(error)) return undefined
    throw error
  }
}

async function removeSecrets(name: string, namespace: string, { kube, signal }: ReachOperationDeps): Promise<string[]> {
  const labelSelector = `${spokeLabels.added}=${name}`
  const { items } = await kube.of(secrets, namespace).metadata.list({ labelSelector, signal })
  for (const { metadata } of items) await kube.of(secrets, namespace).delete(metadata.name, { signal })
  return items.map(({ metadata }) => `${namespace}/${metadata.name}`)
}
