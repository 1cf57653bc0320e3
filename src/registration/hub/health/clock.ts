import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Condition } from '../../../core/conditions.ts'
import { findCondition, removeCondition, setCondition } from '../../../core/conditions.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done } from '../../../core/outcome.ts'
import { annotations, conditions, leaseName } from '../../../fleet/names.ts'
import type { Controller } from '../../../kube/controller.ts'
import { controller } from '../../../kube/controller.ts'
import type { Informer } from '../../../kube/informer.ts'
import type { Key, Stored } from '../../../kube/objects.ts'
import type { Watching } from '../../../kube/watching.ts'
import { changesOf, watching } from '../../../kube/watching.ts'
import { reasons } from '../../reasons.ts'
import type { HubDeps } from '../deps.ts'
import { graceMs, leaseDurationMs } from '../heartbeats.ts'
import { isWorthTelling, reportSkew } from './clock-skew.ts'
import type { Contact } from './contact.ts'

/** How far the clock of a cluster was behind when its last renewal came. */
interface Sample {
  skewMs: number
  receivedAt: Date
}

/** Tells how far the clock of a cluster is off. A number for people, which nothing else depends on. */
export function clockController(deps: HubDeps, contact: Contact): Controller {
  const samples = new Map<string, Sample>()
  const told = new Map<string, number>()

  async function reconcile(key: Key, signal: AbortSignal): Promise<Outcome> {
    const cluster = deps.view.clusters.get(key)
    if (!cluster) for (const known of [samples, told]) known.delete(key)
    if (!cluster || cluster.metadata.deletionTimestamp) return done
    const old = cluster.status?.conditions ?? []
    if (isSkipped(cluster)) return write(cluster, removeCondition(old, conditions.clockSynced), signal)
    const sample = samples.get(key)
    if (!sample || isReplayed(sample, cluster)) return done
    const report = reportSkew(sample.skewMs, graceMs(cluster, deps.settings))
    const known = findCondition(old, conditions.clockSynced)
    const isTold = known?.status === report.status
    if (isTold && report.status === 'True') return done
    if (isTold && !isWorthTelling(sample.skewMs, told.get(key), graceMs(cluster, deps.settings))) return done
    await write(cluster, setCondition(old, report, deps.clock.now()), signal)
    told.set(key, sample.skewMs)
    if (!isTold && report.status === 'False')
      deps.events.record(ManagedCluster.resource, cluster, {
        type: 'Warning',
        reason: reasons.ManagedClusterClockOutOfSync,
        message: report.message,
      })
    return done
  }

  /** What a resumed watch tells late looks like a clock that is behind. */
  function isReplayed({ receivedAt }: Sample, cluster: ManagedCluster): boolean {
    const regainedAt = contact.regainedAt()
    return (
      (regainedAt !== undefined && receivedAt.getTime() < regainedAt.getTime() + leaseDurationMs(cluster)) ||
      receivedAt < contact.since()
    )
  }

  async function write(cluster: Stored<ManagedCluster>, next: Condition[], signal: AbortSignal): Promise<Outcome> {
    if (next === (cluster.status?.conditions ?? next)) return done
    const { name, resourceVersion } = cluster.metadata
    const body = { metadata: { resourceVersion }, status: { conditions: next } }
    await deps.kube.of(ManagedCluster.resource).patch(name, { type: 'merge', body }, { subresource: 'status', signal })
    return done
  }

  return controller('clock', (key, { signal }) => reconcile(key, signal), {
    ...deps,
    watches: [
      renewals(deps.view.leases, (cluster, renewTime) => {
        const receivedAt = deps.clock.now()
        samples.set(cluster, { skewMs: receivedAt.getTime() - Date.parse(renewTime), receivedAt })
      }),
      watching(deps.view.clusters, undefined, { when: changesOf(whatSkewDependsOn) }),
    ],
  })
}

/** The clusters whose agents renew, as they do. What stands in a lease when the hub begins may be old. */
const renewals = (leases: Informer<Lease>, note: (cluster: string, renewTime: string) => void): Watching => ({
  synced: leases.synced,
  subscribe: (enqueue) =>
    leases.on((change) => {
      const { name, namespace } = change.object.metadata
      if (change.type !== 'updated' || name !== leaseName || !namespace) return
      const renewTime = change.object.spec?.renewTime
      if (!renewTime || renewTime === change.previous.spec?.renewTime) return
      note(namespace, renewTime)
      enqueue(namespace)
    }),
})

const whatSkewDependsOn = (cluster: ManagedCluster) => [
  isSkipped(cluster),
  cluster.spec?.leaseDurationSeconds,
  findCondition(cluster.status?.conditions, conditions.clockSynced),
]

const isSkipped = ({ metadata }: ManagedCluster): boolean =>
  metadata?.annotations?.[annotations.skipClockSyncCheck] === 'true'
