import { ClusterProperty } from '../../../apis/about/cluster-property.ts'
import { ClusterClaim } from '../../../apis/cluster/cluster-claim.ts'
import type { Run } from '../../../core/lifecycle.ts'
import { runTogether } from '../../../core/lifecycle.ts'
import { eventRecorder } from '../../../kube/events.ts'
import { pause } from '../../../kube/pause.ts'
import type { MemberDeps } from '../deps.ts'
import { examination } from './available.ts'
import { bell } from './bell.ts'
import { claimsOf } from './claims-view.ts'
import { heartbeat } from './lease.ts'
import { namespaceKeeper } from './managed-namespaces.ts'
import { capacityOf } from './nodes-view.ts'
import { reporter } from './reporter.ts'
import { unknownWatch } from './unknown.ts'

/** How long the first report waits for what is not known yet, so that one write tells the hub everything. */
const gatherMs = 1_000
/** How long a change on the managed cluster may wait for others to go with it. */
const burstMs = 500

/**
 * What an agent does once it has its certificate: renews its lease and reports how the cluster is. It looks at the
 * cluster from the start and tells the hub as soon as that accepts it; while it does not, nothing is written.
 */
export const memberRun =
  (deps: MemberDeps): Run =>
  async (signal) => {
    const { clock, self, settings } = deps
    const news = bell(clock)
    const later = () => news.ringWithin(burstMs)
    const capacity = capacityOf(deps, later)
    const claims = claimsOf(
      deps,
      {
        ...(settings.features.clusterClaim && { claims: ClusterClaim.resource }),
        ...(settings.features.clusterProperty && { properties: ClusterProperty.resource }),
      },
      later,
    )
    const health = examination(deps, news.ring)
    const namespaces = namespaceKeeper(deps, news.ring)
    const pulse = heartbeat(deps, (at) => {
      deps.onRenewed(at)
      news.ring()
    })
    const unknown = unknownWatch(pulse)
    const events = eventRecorder(deps.hub, { ...deps, component: 'lanyard-agent' })
    const report = reporter({
      ...deps,
      events,
      news,
      facts: (mine) => ({
        ...health.current,
        nodes: capacity.current,
        claims: claims.current?.mirrored,
        namespaces: namespaces.current,
        hasRenewed: unknown.hasRenewedSince(mine),
        reported: capacity.reported,
      }),
      missingClaims: () => claims.missing,
    })
    using _ = self.on(({ type, object }) => {
      if (type !== 'deleted' && object.metadata.name === deps.cluster) unknown.see(object)
    })
    const reportOnceGathered: Run = async (stop) => {
      const over = new AbortController()
      const limit = pause(clock, gatherMs, AbortSignal.any([stop, over.signal]))
      await Promise.race([Promise.all([capacity.synced(stop), claims.synced(stop), health.first]), limit])
      over.abort()
      await report(stop)
    }
    try {
      await runTogether(signal, [
        ...capacity.runs,
        ...claims.runs,
        health.run,
        pulse.run,
        namespaces.run,
        reportOnceGathered,
      ])
    } finally {
      await events.flush(gatherMs)
    }
  }
