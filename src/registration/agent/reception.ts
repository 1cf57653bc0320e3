import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { ManagedCluster as ManagedClusters } from '../../apis/cluster/managed-cluster.ts'
import { isFailure } from '../../core/failure.ts'
import { isForbidden, isNotFound, isUnauthorized, KubeFailure } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'

/** What the hub says to an agent that comes with its own certificate. */
export type Reception =
  | { readonly is: 'accepted'; readonly cluster: Stored<ManagedCluster> }
  /** It answers, and does not let the agent in. */
  | { readonly is: 'awaited'; readonly message: string }
  /** It does not know the certificate. */
  | { readonly is: 'rejected'; readonly message: string }
  | { readonly is: 'unreachable'; readonly message: string }

/** Before acceptance the agent may not even look at its own cluster: forbidden means not yet. */
export async function askReception(hub: Kube, cluster: string, signal: AbortSignal): Promise<Reception> {
  const awaited = (why: string): Reception => ({
    is: 'awaited',
    message: `the hub does not accept the cluster ${cluster} yet (${why}); an administrator of the hub accepts it with: lanyard accept ${cluster}`,
  })
  try {
    const found = await hub.of(ManagedClusters.resource).get(cluster, { signal, deadlineMs: 10_000 })
    return found.spec?.hubAcceptsClient ? { is: 'accepted', cluster: found } : awaited('hubAcceptsClient is false')
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
