import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Clock } from '../../core/clock.ts'
import { leaseName } from '../../fleet/names.ts'
import type { Informer } from '../../kube/informer.ts'
import type { HubSettings } from './deps.ts'

/**
 * When the hub heard from each cluster, by its own clock: a renewTime that changed was received now, whatever it says.
 * Nothing is kept over a restart: a lease that is there when the hub begins counts as heard at that moment.
 */
export interface Heartbeats {
  /** Undefined while there is no lease of the cluster. A lease that is new to the hub counts as heard. */
  receivedAt(cluster: string): Date | undefined
  /** Only what the hub saw change: undefined until the first renewal since the lease was new to the hub. */
  renewedAt(cluster: string): Date | undefined
}

export function heartbeats(leases: Pick<Informer<Lease>, 'on'>, clock: Clock): Heartbeats {
  const heard = new Map<string, { receivedAt: Date; renewedAt?: Date }>()
  // Never given back: it lives as long as the informer.
  leases.on((change) => {
    const { name, namespace } = change.object.metadata
    if (name !== leaseName || namespace === undefined) return
    const now = clock.now()
    switch (change.type) {
      case 'added':
        heard.set(namespace, { receivedAt: now })
        break
      case 'updated':
        if (change.previous.spec?.renewTime === change.object.spec?.renewTime) break
        heard.set(namespace, { receivedAt: now, renewedAt: now })
        break
      case 'deleted':
        heard.delete(namespace)
    }
  })
  return {
    receivedAt: (cluster) => heard.get(cluster)?.receivedAt,
    renewedAt: (cluster) => heard.get(cluster)?.renewedAt,
  }
}

/** How often the agent of the cluster is to renew its lease. */
export const leaseDurationMs = ({ spec }: ManagedCluster): number => (spec?.leaseDurationSeconds || 60) * 1_000

/** How long a cluster may be silent before it counts as unreachable. */
export const graceMs = (cluster: ManagedCluster, { leaseGraceFactor }: Pick<HubSettings, 'leaseGraceFactor'>): number =>
  leaseDurationMs(cluster) * leaseGraceFactor

/** The moment from which a cluster heard at `receivedAt` counts as unreachable, unless it is heard again before. */
export const staleAt = (
  cluster: ManagedCluster,
  receivedAt: Date,
  settings: Pick<HubSettings, 'leaseGraceFactor'>,
): Date => new Date(receivedAt.getTime() + graceMs(cluster, settings))
