import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Clock } from '../../core/clock.ts'
import { pastOf } from '../../core/clock.ts'
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
  /**
   * The last renewal that the hub is sure of, because it saw the renewTime change: undefined until the first one since the
   * lease was new to the hub.
   */
  renewedAt(cluster: string): Date | undefined
  /**
   * What the server itself says the renewTime is, for a watch may hang. Another one than was known counts as received
   * now, and as a renewal at the earliest moment it may have been; of a lease that is new to the hub, as received alone.
   */
  looked(cluster: string, renewTime: string | undefined): void
}

interface Heard {
  renewTime: string | undefined
  /** Since when the hub knows of this renewTime. */
  knownAt: Date
  /** When it last heard anything. */
  receivedAt: Date
  renewedAt?: Date
  /** It was looked up: what the watch has yet to tell may be older. */
  isAhead?: boolean
}

export function heartbeats(leases: Pick<Informer<Lease>, 'on'>, clock: Clock): Heartbeats {
  const heard = new Map<string, Heard>()
  // Never given back: it lives as long as the informer.
  leases.on((change) => {
    const { name, namespace } = change.object.metadata
    const renewTime = change.object.spec?.renewTime
    if (name !== leaseName || namespace === undefined) return
    const now = clock.now()
    const known = heard.get(namespace)
    switch (change.type) {
      case 'added':
        // Where it is known it was looked up, and may have been renewed at any time since.
        heard.set(
          namespace,
          known ? told(known, renewTime, now, known.knownAt) : { renewTime, knownAt: now, receivedAt: now },
        )
        break
      case 'updated':
        if (change.previous.spec?.renewTime !== renewTime) heard.set(namespace, told(known, renewTime, now, now))
        break
      case 'deleted':
        heard.delete(namespace)
    }
  })
  return {
    receivedAt(cluster) {
      const known = heard.get(cluster)
      if (known) known.receivedAt = pastOf(clock, known.receivedAt)
      return known?.receivedAt
    },
    renewedAt: (cluster) => heard.get(cluster)?.renewedAt,
    looked(cluster, renewTime) {
      const known = heard.get(cluster)
      if (known && known.renewTime === renewTime) return
      const now = clock.now()
      const renewedAt = known && { renewedAt: known.knownAt }
      heard.set(cluster, { renewTime, knownAt: now, receivedAt: now, ...renewedAt, isAhead: true })
    },
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

/** What is known after the watch told this renewTime, which if it is news is of a renewal at `renewedAt`. */
function told(known: Heard | undefined, renewTime: string | undefined, now: Date, renewedAt: Date): Heard {
  // A watch that hung, on renewals before the one that was looked up: it says no more than that it goes on.
  if (known?.isAhead && Date.parse(renewTime ?? '') < Date.parse(known.renewTime ?? ''))
    return { ...known, receivedAt: now }
  // The watch is there by now: what it tells from here on is newer, even where an agent's clock goes back.
  if (known && known.renewTime === renewTime) return { ...known, isAhead: false }
  return { renewTime, knownAt: now, receivedAt: now, renewedAt }
}
