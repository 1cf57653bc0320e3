import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { ManagedCluster as ManagedClusters } from '../../apis/cluster/managed-cluster.ts'
import { isFailure } from '../../core/failure.ts'
import { isForbidden, isNotFound, isUnauthorized, KubeFailure } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'

/** What the hub says to an agent that comes with its own certificate. */
export type Reception =
  | { readonly is: 'accepted'; readonly cluster: Stored<ManagedCluster> }
  /** It answers, and does not let the agent in. `mayLook`: one that was let in before may watch its own cluster. */
  | { readonly is: 'awaited'; readonly message: string; readonly mayLook: boolean }
  /** It does not know the certificate. */
  | { readonly is: 'rejected'; readonly message: string }
  | { readonly is: 'unreachable'; readonly message: string }

/** Before acceptance the agent may not even look at its own cluster: forbidden means not yet. */
export async function askReception(hub: Kube, cluster: string, signal: AbortSignal): Promise<Reception> {
  const awaited = (why: string, mayLook = false): Reception => ({
    is: 'awaited',
    mayLook,
    message: `the hub does not accept the cluster ${cluster} yet (${why}); an administrator of the hub accepts it with: lanyard accept ${cluster}`,
  })
  try {
    const found = await hub.of(ManagedClusters.resource).get(cluster, { signal, deadlineMs: 10_000 })
    return found.spec?.hubAcceptsClient
      ? { is: 'accepted', cluster: found }
      : awaited('hubAcceptsClient is false', true)
  } catch (error) {
    signal.throwIfAborted()
    if (isForbidden(error)) return awaited('it forbids the agent to look at its own cluster')
    if (isNotFound(error)) return awaited('there is no ManagedCluster of that name')
    if (isUnauthorized(error))
      return { is: 'rejected', message: 'the hub does not know the certificate of the agent; a new one is asked for' }
    if (error instanceof KubeFailure || isFailure(error)) return { is: 'unreachable', message: error.message }
    throw error
  }
}

/** Tells when the hub accepts the cluster, as long as the agent may watch it. Fails silently: there is asking, too. */
export async function watchAcceptance(
  hub: Kube,
  cluster: string,
  signal: AbortSignal,
  tell: () => void,
): Promise<void> {
  try {
    const fieldSelector = `metadata.name=${cluster}`
    for await (const event of hub.of(ManagedClusters.resource).watch({ fieldSelector, signal }))
      if (event.type !== 'BOOKMARK' && event.type !== 'DELETED' && event.object.spec?.hubAcceptsClient) tell()
  } catch (error) {
    if (!signal.aborted && !(error instanceof KubeFailure) && !isFailure(error)) throw error
  }
}
