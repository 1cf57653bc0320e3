import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../../../test/support/memory-kube.ts'
import { kubeFailure } from '../../../../../test/support/memory-kube-parts.ts'
import { ManagedCluster } from '../../../../apis/cluster/managed-cluster.ts'
import { passBy } from '../../../../core/checkpoint.ts'
import type { Condition, ConditionStatus } from '../../../../core/conditions.ts'
import { silentLog } from '../../../../core/log.ts'
import { noMetrics } from '../../../../core/metrics.ts'
import { randomFrom } from '../../../../core/random.ts'
import { conditions, leaseName } from '../../../../fleet/names.ts'
import { informer } from '../../../../kube/informer.ts'
import { leases } from '../../../../kube/kinds.ts'
import type { Kube } from '../../../../kube/kube.ts'
import type { MemberDeps, MemberSettings } from '../../deps.ts'

export const aCondition = (type: string, status: ConditionStatus, reason = 'Test'): Condition => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
})

export const acceptance = aCondition(conditions.accepted, 'True')

export const memberSettings: MemberSettings = {
  healthCheckPeriodMs: 60_000,
  maxCustomClusterClaims: 20,
  reservedClusterClaimSuffixes: [],
  features: { clusterClaim: true, clusterProperty: false },
}

/** An agent of the cluster `west` between a hub and a cluster that are both in memory; the clock is moved by hand. */
export function memberScene(given: { fraction?: () => number; settings?: Partial<MemberSettings> } = {}) {
  const clock = new FakeClock()
  const hub = new MemoryKube(clock)
  const spoke = new MemoryKube(clock)
  const common = { clock, random: randomFrom(given.fraction ?? (() => 0)), log: silentLog }
  const self = informer(hub.of(ManagedCluster.resource), common)
  const renewedAt: Date[] = []
  const asked: string[] = []
  const scene = {
    clock,
    hub,
    memory: spoke,
    renewedAt,
    /** What was asked of the managed cluster by path, and how it answers. */
    asked,
    answer: (path: string): unknown => (path === '/version' ? { gitVersion: 'v1.36.2' } : 'ok'),
    deps: undefined as unknown as MemberDeps,
    clusters: hub.of(ManagedCluster.resource),
    async cluster(status: ManagedCluster['status'], spec: ManagedCluster['spec'] = {}) {
      await hub.of(ManagedCluster.resource).apply({ metadata: { name: 'west' }, spec, status } as never, {
        fieldManager: 'hub',
      })
      await clock.settle()
    },
    async lease() {
      await hub.of(leases, 'west').create({ metadata: { name: leaseName }, spec: { holderIdentity: leaseName } })
    },
    statusOf: async () => (await hub.of(ManagedCluster.resource).get('west')).status,
    run(t: { after(action: () => void): void }, ...runs: ((signal: AbortSignal) => Promise<void>)[]) {
      const stop = new AbortController()
      t.after(() => stop.abort())
      for (const run of [self.run, ...runs]) void run(stop.signal)
      return stop
    },
  }
  const withPaths: Kube = {
    of: (resource, namespace) => spoke.of(resource, namespace),
    request: async <R>({ path }: { path: string }) => {
      asked.push(path)
      const answer = scene.answer(path)
      if (answer instanceof Error) throw answer
      return answer as R
    },
  }
  scene.deps = {
    ...common,
    cluster: 'west',
    hubUrl: 'https://hub.example:6443',
    hub,
    spoke: withPaths,
    self,
    metrics: noMetrics,
    checkpoint: passBy,
    settings: { ...memberSettings, ...given.settings },
    onRenewed: (at) => renewedAt.push(at),
  }
  return scene
}

export const httpFailure = (code: number, reason: string) => kubeFailure(code, reason)
