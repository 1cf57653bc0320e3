import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { pastOf } from '../../../core/clock.ts'
import type { Condition } from '../../../core/conditions.ts'
import { findCondition } from '../../../core/conditions.ts'
import { conditions } from '../../../fleet/names.ts'
import type { Informer } from '../../../kube/informer.ts'
import type { HubDeps } from '../deps.ts'

/**
 * Clusters that were heard by other means than their lease. An agent that comes back may say that its cluster is
 * available a moment before it renews; without this the hub would contradict it, and they would go on in turns.
 */
export interface SignsOfLife {
  heardAt(cluster: string): Date | undefined
  heard(cluster: string): void
}

export function signsOfLife(clusters: Pick<Informer<ManagedCluster>, 'on'>, clock: HubDeps['clock']): SignsOfLife {
  const heard = new Map<string, Date>()
  // Never given back: it lives as long as the informer.
  clusters.on((change) => {
    const { name } = change.object.metadata
    if (change.type === 'deleted') heard.delete(name)
    if (change.type === 'updated' && agentSpoke(available(change.previous), available(change.object)))
      heard.set(name, clock.now())
  })
  return {
    heardAt(cluster) {
      const at = heard.get(cluster)
      if (at) heard.set(cluster, pastOf(clock, at))
      return heard.get(cluster)
    },
    heard: (cluster) => void heard.set(cluster, clock.now()),
  }
}

const available = ({ status }: ManagedCluster): Condition | undefined =>
  findCondition(status?.conditions, conditions.available)

/** Only the agent says True or False; the hub's own word is Unknown. */
const agentSpoke = (before: Condition | undefined, now: Condition | undefined): boolean =>
  now !== undefined && now.status !== 'Unknown' && before?.status !== now.status
