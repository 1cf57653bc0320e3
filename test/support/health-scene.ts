import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import type { Condition, ConditionStatus } from '../../src/core/conditions.ts'
import { findCondition, rfc3339, setCondition } from '../../src/core/conditions.ts'
import type { Run } from '../../src/core/lifecycle.ts'
import { conditions, labels, leaseName } from '../../src/fleet/names.ts'
import { leases, namespaces } from '../../src/kube/kinds.ts'
import { microTime } from '../../src/kube/lease-record.ts'
import type { Stored } from '../../src/kube/objects.ts'
import type { HubDeps } from '../../src/registration/hub/deps.ts'
import type { SignsOfLife } from '../../src/registration/hub/health/signs-of-life.ts'
import { signsOfLife } from '../../src/registration/hub/health/signs-of-life.ts'
import { reasons } from '../../src/registration/reasons.ts'
import { eventually } from './eventually.ts'
import type { HubScene, HubSceneOptions } from './fleet-scene.ts'
import { hubScene } from './fleet-scene.ts'
import type { TestScope } from './test-scope.ts'
import type { TimedPlane } from './timed-plane.ts'
import { timedPlane } from './timed-plane.ts'

type Spec = NonNullable<ManagedCluster['spec']>

export interface HealthScene extends TimedPlane {
  hub: HubScene
  /** As the acceptance controller leaves it: namespace and condition, no lease. Waits until the hub has seen both. */
  accept(name: string, spec?: Spec, given?: { annotations?: Record<string, string> }): Promise<void>
  /** The same, with the lease that the hub then makes, and its agent's word that it is available. */
  join(name: string, spec?: Spec): Promise<void>
  /** What the agent does: renews the lease, by a clock that may be off. Waits until the hub has received it. */
  renew(name: string, at?: Date): Promise<void>
  /** What the agent does: says how its cluster is. Waits until the hub has seen it. */
  say(name: string, status: ConditionStatus): Promise<void>
  /**
   * The moment from which the hub counts: when it received a renewal or a word of the agent last. A wait may have moved
   * the clock since.
   */
  heardAt(name: string): Date
  condition(name: string, type: string): Promise<Condition | undefined>
  /** The availability once it is this. */
  availability(name: string, status: ConditionStatus): Promise<Condition>
  /** Stops the hub and starts one that knows nothing, as after a crash. */
  restart(): Promise<void>
}

/** A hub of these parts, without acceptance and agents: the test plays those. */
export async function healthScene(
  t: TestScope,
  parts: (deps: HubDeps) => readonly Run[],
  options: Omit<HubSceneOptions, 'parts' | 'clock'> = {},
): Promise<HealthScene> {
  const timed = await timedPlane(t)
  const { clock, plane } = timed
  let life: SignsOfLife
  const start = async () => {
    const hub = await hubScene(t, plane, { ...options, clock, parts })
    life = signsOfLife(hub.deps.view.clusters, clock)
    return hub
  }
  const scene = { ...timed, hub: await start() } as HealthScene
  const clusters = () => scene.hub.admin.of(ManagedCluster.resource)
  const seen = async (what: string, look: (deps: HubDeps) => unknown) =>
    void (await eventually(what, () => Boolean(look(scene.hub.deps))))
  const write = async (cluster: Stored<ManagedCluster>, list: Condition[]) => {
    const body = { status: { conditions: list } }
    const { name, uid } = cluster.metadata
    const { metadata } = await clusters().patch(name, { type: 'merge', body }, { subresource: 'status' })
    await seen('the hub sees the status', ({ view }) => {
      const known = view.clusters.get(name)
      return known?.metadata.uid === uid && Number(known.metadata.resourceVersion) >= Number(metadata.resourceVersion)
    })
  }
  return Object.assign(scene, {
    async accept(name, spec = {}, given = {}) {
      const { admin } = scene.hub
      const labelled = { [labels.clusterName]: name }
      if (!(await admin.of(namespaces).find(name)))
        await admin.of(namespaces).create({ metadata: { name, labels: labelled } })
      const cluster = await clusters().create({
        metadata: { name, ...given },
        spec: { hubAcceptsClient: true, ...spec },
      })
      const report = {
        type: conditions.accepted,
        status: 'True' as const,
        reason: reasons.HubClusterAdminAccepted,
        message: 'Accepted by hub cluster admin',
      }
      await write(cluster, setCondition([], report, clock.now()))
      await seen('the hub sees the namespace', ({ view }) => view.namespaces.get(name))
    },
    async join(name, spec) {
      await scene.accept(name, spec)
      await seen('the hub makes the lease', ({ view }) => view.leases.get(`${name}/${leaseName}`))
      await scene.say(name, 'True')
    },
    async renew(name, at = clock.now()) {
      const renewTime = microTime(at)
      const body = { spec: { renewTime } }
      await scene.hub.admin.of(leases, name).patch(leaseName, { type: 'merge', body })
      await seen('the hub receives the renewal', ({ view }) => {
        return view.leases.get(`${name}/${leaseName}`)?.spec?.renewTime === renewTime
      })
    },
    async say(name, status) {
      const cluster = await clusters().get(name)
      const reason =
        status === 'True' ? reasons.ManagedClusterAvailable : reasons.ManagedClusterKubeAPIServerUnavailable
      const report = { type: conditions.available, status, reason, message: 'as the agent says' }
      await write(cluster, setCondition(cluster.status?.conditions, report, clock.now()))
    },
    heardAt(name) {
      const moments = [scene.hub.deps.view.heartbeats.receivedAt(name), life.heardAt(name)]
      return new Date(Math.max(...moments.map((moment) => moment?.getTime() ?? Number.NEGATIVE_INFINITY)))
    },
    condition: async (name, type) => findCondition((await clusters().get(name)).status?.conditions, type),
    availability: (name, status) =>
      eventually(`${name} is ${status}`, () => scene.condition(name, conditions.available), {
        until: (found) => found?.status === status,
      }) as Promise<Condition>,
    async restart() {
      await scene.hub.stop()
      scene.hub = await start()
      await seen('the new hub looks', ({ view }) => view.clusters.isSynced && view.leases.isSynced)
    },
  } satisfies Partial<HealthScene>)
}

/** A moment as conditions have it. */
export const stamp = (from: Date, seconds: number): string => rfc3339(new Date(from.getTime() + seconds * 1_000))
