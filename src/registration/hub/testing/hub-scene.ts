import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { runInTest } from '../../../../test/support/fleet-scene.ts'
import { MemoryKube } from '../../../../test/support/memory-kube.ts'
import type { TestScope } from '../../../../test/support/test-scope.ts'
import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { passBy } from '../../../core/checkpoint.ts'
import { findCondition } from '../../../core/conditions.ts'
import { silentLog } from '../../../core/log.ts'
import { noMetrics } from '../../../core/metrics.ts'
import type { Passes } from '../../../core/pass.ts'
import { randomFrom } from '../../../core/random.ts'
import { conditions, rbacNames } from '../../../fleet/names.ts'
import { eventRecorder } from '../../../kube/events.ts'
import { clusterRoles, events } from '../../../kube/kinds.ts'
import { awsHubDriver } from '../../drivers/awsirsa/hub.ts'
import { MemoryAws } from '../../drivers/awsirsa/testing/memory-aws.ts'
import { arnsLike, hub as eksHub, managedArn } from '../../drivers/awsirsa/testing/samples.ts'
import { csrHubDriver } from '../../drivers/csr/hub.ts'
import type { DriverName } from '../../drivers/driver.ts'
import { awsAnnotations } from '../../drivers/marks.ts'
import type { GcResource } from '../deps.ts'
import { defaultHubSettings } from '../deps.ts'
import type { HubDriverFactory } from '../index.ts'
import { registrationHub } from '../index.ts'

interface Options {
  ways?: readonly DriverName[]
  patterns?: readonly string[]
  users?: readonly string[]
  gcResources?: readonly GcResource[]
}

export const byArn = { [awsAnnotations.arn]: managedArn }

/** A whole hub on Kubernetes and AWS in memory, which may be stopped and started again in another way. */
export function hubScene(t: TestScope) {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const aws = new MemoryAws(() => clock.now())
  const common = { clock, random: randomFrom(() => 0.5), log: silentLog }
  const clusters = kube.of(ManagedCluster.resource)
  const factories = (patterns: readonly string[]): Partial<Record<DriverName, HubDriverFactory>> => ({
    csr: csrHubDriver,
    awsirsa: (deps) =>
      awsHubDriver({
        ...deps,
        clusters: deps.view.clusters,
        hub: eksHub,
        tags: {},
        iam: aws.iam,
        eks: aws.eks,
        isEks: async () => true,
        ...(patterns.length > 0 && { autoApprovedArns: arnsLike(patterns) }),
      }),
  })
  const wait = async (time = '30s') => await clock.advance(time)
  let running: Passes | undefined
  return {
    clock,
    kube,
    aws,
    clusters,
    wait,
    async start({ ways = ['awsirsa', 'csr'], patterns = [], users, gcResources = [] }: Options = {}) {
      const recorder = eventRecorder(kube, { ...common, component: 'lanyard-hub' })
      const settings = { ...defaultHubSettings, autoApprovedUsers: users, gcResources }
      const given = { ...common, kube, metrics: noMetrics, events: recorder, checkpoint: passBy, settings }
      const made = factories(patterns)
      const drivers = ways.flatMap((name) => made[name] ?? [])
      const hub = registrationHub(given, drivers)
      running = hub.passes
      const stop = runInTest(t, [hub.run])
      await wait()
      return stop
    },
    async join(name: string, written: Record<string, string> = {}, hubAcceptsClient = true) {
      await clusters.create({
        metadata: { name, annotations: written },
        spec: { hubAcceptsClient, leaseDurationSeconds: 60 },
      })
      await wait()
    },
    async change(name: string, body: object) {
      await clusters.patch(name, { type: 'merge', body })
      await wait('60s')
    },
    async accepted(name: string) {
      const { status, message } =
        findCondition((await clusters.get(name)).status?.conditions, conditions.accepted) ?? {}
      return { status, message }
    },
    isIn: async (name: string) => (await clusters.get(name)).spec?.hubAcceptsClient,
    mayAnything: async (name: string) => (await kube.of(clusterRoles).find(rbacNames.cluster(name))) !== undefined,
    async passes() {
      const listed = running ? await Array.fromAsync(running.list()) : []
      return listed.map(({ id, state }) => `${id} ${state}`)
    },
    async told(name: string) {
      const all = await kube.of(events).list()
      return all.items.filter(({ involvedObject }) => involvedObject.name === name).map(({ message }) => message)
    },
  }
}
