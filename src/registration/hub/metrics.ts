import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { isTrue } from '../../core/conditions.ts'
import type { Reading } from '../../core/metrics.ts'
import { decisionOn } from '../../fleet/csr/approval.ts'
import { conditions } from '../../fleet/names.ts'
import type { Stored } from '../../kube/objects.ts'
import type { ClusterOverview } from '../overview/cluster-overview.ts'
import { clusterOverview } from '../overview/cluster-overview.ts'
import type { HubDeps } from './deps.ts'

const states = [
  'pending',
  'accepted',
  'joined',
  'available',
  'unavailable',
  'unknown',
  'denied',
  'unjoined',
  'deleting',
] as const

type State = (typeof states)[number]

/**
 * What people ask of a fleet, read from what the hub watches anyway. A replica that does not lead watches nothing and
 * says nothing of single clusters.
 */
export function registrationMetrics(deps: HubDeps): void {
  countStates(deps)
  readEachCluster(deps)
  timeJoins(deps)
  deps.metrics.gauge(
    'lanyard_registration_pending_requests_items',
    'CSRs that nobody has decided on',
    {},
    {
      collect: (gauge) => gauge.set(deps.view.csrs.list().filter((csr) => decisionOn(csr) === 'none').length),
    },
  )
}

/** Each cluster in one state: that which a person has to know first. */
export function stateOf({ stage, available }: Pick<ClusterOverview, 'stage' | 'available'>): State {
  if (stage !== 'joined' || available === undefined) return stage
  return available === 'True' ? 'available' : available === 'False' ? 'unavailable' : 'unknown'
}

function countStates({ metrics, view }: HubDeps): void {
  metrics.gauge(
    'lanyard_registration_clusters_items',
    'Clusters by the state they are in',
    { state: states },
    {
      collect(gauge) {
        const counts = new Map<State, number>(states.map((state) => [state, 0]))
        for (const cluster of view.clusters.list()) {
          const state = stateOf(clusterOverview(cluster))
          counts.set(state, (counts.get(state) ?? 0) + 1)
        }
        for (const [state, count] of counts) gauge.set({ state }, count)
      },
    },
  )
}

function readEachCluster({ metrics, view, clock }: HubDeps): void {
  const read = (
    name: string,
    help: string,
    value: (cluster: Stored<ManagedCluster>, nowMs: number) => number | undefined,
  ) =>
    metrics.readings(name, help, ['cluster'], function* (): Generator<Reading<'cluster'>> {
      const nowMs = clock.now().getTime()
      for (const object of view.clusters.list()) {
        const { name: cluster } = object.metadata
        const seen = value(object, nowMs)
        if (seen !== undefined) yield [{ cluster }, seen / 1_000]
      }
    })
  read(
    'lanyard_registration_certificate_expiry_seconds',
    'Until the certificate of the agent expires; below 0 once it has',
    (cluster, nowMs) => {
      const { certificateExpiresAt } = clusterOverview(cluster)
      return certificateExpiresAt && certificateExpiresAt.getTime() - nowMs
    },
  )
  read(
    'lanyard_registration_lease_age_seconds',
    "Since the agent was last heard, by the hub's clock",
    ({ metadata }, nowMs) => {
      const heardAt = view.heartbeats.receivedAt(metadata.name)
      return heardAt && nowMs - heardAt.getTime()
    },
  )
}

/** From the moment an administrator said yes. What happened while this replica did not watch is not counted. */
function timeJoins({ metrics, view, clock }: HubDeps): void {
  const ready = metrics.histogram(
    'lanyard_registration_ready_seconds',
    'From acceptance until namespace and rights were in place',
    {},
    { buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] },
  )
  const joined = metrics.histogram(
    'lanyard_registration_join_seconds',
    'From acceptance until the agent had joined',
    {},
    { buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 86_400] },
  )
  const acceptedAt = new Map<string, number>()
  // Never given back: it lives as long as the informer.
  view.clusters.on((change) => {
    const { object } = change
    const { name } = object.metadata
    if (change.type === 'deleted') acceptedAt.delete(name)
    if (change.type !== 'updated') return
    const { previous } = change
    const now = clock.now().getTime()
    if (object.spec?.hubAcceptsClient && !previous.spec?.hubAcceptsClient) acceptedAt.set(name, now)
    if (!object.spec?.hubAcceptsClient) acceptedAt.delete(name)
    const since = acceptedAt.get(name)
    if (since === undefined) return
    const became = (type: string) =>
      isTrue(object.status?.conditions, type) && !isTrue(previous.status?.conditions, type)
    if (became(conditions.accepted)) ready.observe((now - since) / 1_000)
    if (became(conditions.joined)) joined.observe((now - since) / 1_000)
    const isOver = [conditions.accepted, conditions.joined].every((type) => isTrue(object.status?.conditions, type))
    if (isOver) acceptedAt.delete(name)
  })
}
