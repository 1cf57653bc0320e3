import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import { passBy } from '../../src/core/checkpoint.ts'
import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Condition } from '../../src/core/conditions.ts'
import { findCondition } from '../../src/core/conditions.ts'
import { silentLog } from '../../src/core/log.ts'
import { noMetrics } from '../../src/core/metrics.ts'
import { systemRandom } from '../../src/core/random.ts'
import { agentUser, clusterGroup, conditions, leaseName } from '../../src/fleet/names.ts'
import { informer } from '../../src/kube/informer.ts'
import { leases } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { MemberSettings } from '../../src/registration/agent/deps.ts'
import { memberRun } from '../../src/registration/agent/member/index.ts'
import { csrHubDriver } from '../../src/registration/drivers/csr/hub.ts'
import { healthRuns } from '../../src/registration/hub/health/index.ts'
import { membershipRuns } from '../../src/registration/hub/membership/index.ts'
import type { ControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import { FakeClock } from './fake-clock.ts'
import type { HubScene } from './fleet-scene.ts'
import { hubScene, runInTest } from './fleet-scene.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'

export interface MemberOptions {
  /** Default: the control plane that the hub is on, as its admin. */
  spoke?: Kube
  settings?: Partial<MemberSettings>
}

export interface Member {
  readonly name: string
  /** When the hub took each renewal. */
  readonly renewedAt: readonly Date[]
  /** As an orderly end of the agent. */
  stop(): Promise<void>
}

export interface MemberScene {
  readonly hub: HubScene
  /** Makes a ManagedCluster and returns once it is accepted and has its lease. */
  accept(name: string, spec?: ManagedCluster['spec']): Promise<void>
  /** Starts an agent that has its certificate. */
  start(t: TestScope, name: string, options?: MemberOptions): Promise<Member>
  /** Both, and waits until the agent has told that it is available. A fake clock is moved a little where that is needed. */
  join(t: TestScope, name: string, spec?: ManagedCluster['spec'], options?: MemberOptions): Promise<Member>
  condition(name: string, type: string): Promise<Condition | undefined>
  /** Waits until Available has this status. */
  availability(name: string, status: Condition['status'] | undefined): Promise<Condition>
}

/** A hub that gives rights and watches leases, for agents that have their certificates already. */
export async function memberScene(
  scope: TestScope,
  plane: ControlPlane,
  clock: Clock = systemClock,
): Promise<MemberScene> {
  const hub = await hubScene(scope, plane, {
    clock,
    parts: (deps) => [...membershipRuns(deps, [csrHubDriver(deps)]), ...healthRuns(deps)],
  })
  const condition = async (name: string, type: string) =>
    findCondition((await hub.cluster(name)).status?.conditions as Condition[] | undefined, type)
  /** Back-offs run on the clock: rights that come a moment late would otherwise be waited for until it is moved. */
  const nudge = () => (clock instanceof FakeClock ? clock.advance(20) : undefined)
  const scene: MemberScene = {
    hub,
    condition,
    async accept(name, spec = {}) {
      const accepted = { metadata: { name }, spec: { ...spec, hubAcceptsClient: true } }
      await hub.admin.of(ManagedCluster.resource).create(accepted)
      await eventually(`${name} is accepted`, async () => {
        await nudge()
        return await condition(name, conditions.accepted)
      })
      await eventually(`${name} has its lease`, () => hub.admin.of(leases, name).find(leaseName))
    },
    async join(t, name, spec, options) {
      await scene.accept(name, spec)
      const member = await scene.start(t, name, options)
      await eventually(`${name} has joined`, async () => {
        await nudge()
        return (await condition(name, conditions.available))?.status === 'True' && member.renewedAt.length > 0
      })
      return member
    },
    async start(t, name, { spoke = hub.admin, settings = {} } = {}) {
      const certificate = await plane.issueClientCertificate({
        commonName: agentUser(name, 'agent'),
        organizations: [clusterGroup(name)],
      })
      const agent = kubeClient(t, plane.connection({ certificate }))
      const common = { clock, random: systemRandom, log: silentLog }
      const self = informer(agent.of(ManagedCluster.resource), {
        ...common,
        fieldSelector: `metadata.name=${name}`,
        backoff: { baseMs: 100, maxMs: 1_000 },
      })
      const renewedAt: Date[] = []
      const run = memberRun({
        ...common,
        cluster: name,
        hubUrl: plane.url,
        hub: agent,
        spoke,
        self,
        metrics: noMetrics,
        checkpoint: passBy,
        settings: {
          healthCheckPeriodMs: 60_000,
          maxCustomClusterClaims: 20,
          reservedClusterClaimSuffixes: [],
          features: { clusterClaim: true, clusterProperty: true },
          ...settings,
        },
        onRenewed: (at) => renewedAt.push(at),
      })
      return { name, renewedAt, stop: runInTest(t, [self.run, run]) }
    },
    availability: (name, status) =>
      eventually(`${name} is ${status}`, () => condition(name, conditions.available), {
        until: (found) => found?.status === status,
      }),
  }
  return scene
}
