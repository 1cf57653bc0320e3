import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { ManagedCluster as ManagedClusters } from '../../apis/cluster/managed-cluster.ts'
import { isFailure } from '../../core/failure.ts'
import { isForbidden, isNotFound, isUnauthorized, KubeFailure } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import type { AgentDriver } from '../drivers/driver.ts'

/** What the hub says to an agent that comes as itself. */
export type Reception =
  | { readonly is: 'accepted'; readonly cluster: Stored<ManagedCluster> }
  /** It answers, and does not let the agent in. `mayLook`: one that was let in before may watch its own cluster. */
  | { readonly is: 'awaited'; readonly message: string; readonly mayLook: boolean; readonly isTakenBack: boolean }
  /** It does not know the agent by what that holds. */
  | { readonly is: 'rejected'; readonly message: string }
  /** It was not asked, for the agent has nothing to show at present; `isTakenBack`: perhaps because of the hub. */
  | { readonly is: 'unproven'; readonly message: string; readonly isTakenBack: boolean }
  | { readonly is: 'unreachable'; readonly message: string }

/** Before acceptance the agent may not even look at its own cluster: forbidden means not yet. */
export async function askReception(
  hub: Kube,
  cluster: string,
  driver: Pick<AgentDriver, 'holding' | 'remedy' | 'isUnproven' | 'isPerhapsTakenBack'>,
  signal: AbortSignal,
): Promise<Reception> {
  const awaited = (why: string, error?: unknown): Reception => ({
    is: 'awaited',
    mayLook: error === undefined,
    isTakenBack: error !== undefined && driver.isPerhapsTakenBack(error),
    message: `the hub does not accept the cluster ${cluster} yet (${why}); an administrator of the hub accepts it with: lanyard accept ${cluster}`,
  })
  try {
    const found = await hub.of(ManagedClusters.resource).get(cluster, { signal, deadlineMs: 10_000 })
    return found.spec?.hubAcceptsClient ? { is: 'accepted', cluster: found } : awaited('hubAcceptsClient is false')
  } catch (error) {
    signal.throwIfAborted()
    if (isForbidden(error)) return awaited('it forbids the agent to look at its own cluster', error)
    if (isNotFound(error)) return awaited('there is no ManagedCluster of that name', error)
    if (isUnauthorized(error))
      return { is: 'rejected', message: `the hub does not know the ${driver.holding} of the agent; ${driver.remedy}` }
    if (driver.isUnproven(error))
      return { is: 'unproven', message: wordsOf(error), isTakenBack: driver.isPerhapsTakenBack(error) }
    if (error instanceof KubeFailure || isFailure(error)) return { is: 'unreachable', message: error.message }
    throw error
  }
}

/** Whether the agent should ask anew to be let in, and not only wait. */
export const isOut = (reception: Reception): boolean =>
  reception.is === 'rejected' || ('isTakenBack' in reception && reception.isTakenBack)

/** Whether an agent cannot work with what it has, for now at least. */
export const isLost = (reception: Reception): reception is Exclude<Reception, { is: 'accepted' }> =>
  isOut(reception) || reception.is === 'unproven'

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : 'no words')

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
