import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import { systemClock } from '../../src/core/clock.ts'
import { isTrue } from '../../src/core/conditions.ts'
import { silentLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import { conditions, labels, rbacNames } from '../../src/fleet/names.ts'
import { informer, withoutManagedFields } from '../../src/kube/informer.ts'
import { clusterRoleBindings, clusterRoles, namespaces, roleBindings } from '../../src/kube/kinds.ts'
import type { AuditEvent } from '../../test/support/control-plane/audit.ts'
import { cpuMsOf } from '../embedded/usage.ts'
import type { Contestant } from './contestants.ts'
import type { HubScene, Launch } from './hub-scene.ts'
import { startHubScene } from './hub-scene.ts'
import { residentBytes, until, untilCalm } from './processes.ts'
import type { SimulatedAgent } from './simulated-agents.ts'
import { accept, approve, ask, certificates, connectAndReport, each, newAgents } from './simulated-agents.ts'

/** What one join of many clusters came to. */
export interface JoinAnswer {
  /** All clusters and CSRs created. */
  askMs: number
  /** From the first acceptance until every cluster has its namespace, its rights and its condition. */
  acceptMs: number
  /** All agents connected, joined, available, one renewal each. */
  connectMs: number
  /** Of the hub, from the first request of an agent until all is quiet again. */
  hubCpuMs: number
  /** Of etcd and kube-apiserver, while clusters were accepted. */
  serverCpuMs: number
  /** Of the hub, while clusters were accepted. */
  acceptCpuMs: number
  hubRss: number
  hubPeakRss: number
  /** What the hub asked of the API server, per cluster; watches not counted. */
  requests: number
  /** Of these, what changes something. */
  writes: number
}

const patienceMs = 600_000

export interface JoinTurn {
  launch: Launch
  clusters: number
  say(line: string): void
}

/** Clusters on a hub of their own, which an administrator lets in. */
export async function joinTurn(contestant: Contestant, { launch, clusters, say }: JoinTurn): Promise<JoinAnswer> {
  await using scene = await startHubScene(contestant, { autoApproval: false, launch })
  const { plane, hub } = scene
  const agents = await newAgents('cluster', clusters)
  const servers = Object.entries(plane.pids).flatMap(([name, pid]) => (name === 'kube-controller-manager' ? [] : [pid]))
  const startedAt = new Date()
  const cpuBefore = cpuMsOf([hub.pid])

  const askMs = await timed(() => each(agents, (agent) => ask(scene, agent)))
  await each(agents, (agent) => approve(scene, agent))
  const signed = await certificates(scene, agents)
  await untilCalm([hub.pid, ...Object.values(plane.pids)])

  const [serverBefore, acceptBefore] = [cpuMsOf(servers), cpuMsOf([hub.pid])]
  const acceptMs = await timeAcceptance(scene, agents)
  const [serverCpuMs, acceptCpuMs] = [cpuMsOf(servers) - serverBefore, cpuMsOf([hub.pid]) - acceptBefore]
  const connectMs = await timed(() =>
    each(agents, (agent) => connectAndReport(scene, agent, signed.get(agent.cluster) ?? '')),
  )
  await untilCalm([hub.pid])
  const hubCpuMs = cpuMsOf([hub.pid]) - cpuBefore
  const { now: hubRss, peak: hubPeakRss } = residentBytes(hub.pid)
  const asked = requestsOf(await plane.auditEvents(), scene.hubUser, startedAt)
  if (process.env['BENCH_REQUESTS']) say(JSON.stringify(countBy(asked, kindOf), undefined, 1))
  return {
    askMs,
    acceptMs,
    connectMs,
    hubCpuMs,
    serverCpuMs,
    acceptCpuMs,
    hubRss,
    hubPeakRss,
    requests: asked.length / clusters,
    writes: asked.filter(({ verb }) => !['get', 'list'].includes(verb)).length / clusters,
  }
}

export async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await act()
  return performance.now() - startedAt
}

/** Watches conditions, which hubs set last, and then looks whether all the rest is there. */
async function timeAcceptance(scene: HubScene, agents: readonly SimulatedAgent[]): Promise<number> {
  const clusters = informer(scene.admin.of(ManagedCluster.resource), {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    transform: withoutManagedFields,
  })
  const [stop, told] = [new AbortController(), Promise.withResolvers<void>()]
  const open = new Set(agents.map(({ cluster }) => cluster))
  clusters.on(({ type, object }) => {
    if (type === 'deleted' || !isTrue(object.status?.conditions, conditions.accepted)) return
    open.delete(object.metadata.name)
    if (open.size === 0) told.resolve()
  })
  const running = clusters.run(stop.signal)
  await clusters.synced(stop.signal)
  const startedAt = performance.now()
  try {
    await each(agents, (agent) => accept(scene, agent))
    const timer = setTimeout(
      () => told.reject(new Error(`${open.size} not accepted\n${scene.hub.output()}`)),
      patienceMs,
    )
    await told.promise
    clearTimeout(timer)
    const conditionMs = performance.now() - startedAt
    const isAtOnce = await hasRights(scene, agents)
    if (isAtOnce) return conditionMs
    await until('all rights are there', () => hasRights(scene, agents), { withinMs: patienceMs })
    return performance.now() - startedAt
  } finally {
    stop.abort()
    await running.catch(() => {})
  }
}

async function hasRights({ admin }: HubScene, agents: readonly SimulatedAgent[]): Promise<boolean> {
  const labelSelector = labels.clusterName
  const namesOf = async (list: Promise<{ items: { metadata: { name: string } }[] }>) =>
    new Set((await list).items.map(({ metadata }) => metadata.name))
  const [spaces, roles, bindings, inNamespaces] = await Promise.all([
    namesOf(admin.of(namespaces).list()),
    namesOf(admin.of(clusterRoles).list({ labelSelector })),
    namesOf(admin.of(clusterRoleBindings).list({ labelSelector })),
    namesOf(admin.of(roleBindings).list({ labelSelector })),
  ])
  return agents.every(
    ({ cluster }) =>
      spaces.has(cluster) &&
      roles.has(rbacNames.cluster(cluster)) &&
      bindings.has(rbacNames.cluster(cluster)) &&
      inNamespaces.has(rbacNames.registrationBinding(cluster)) &&
      inNamespaces.has(rbacNames.workBinding(cluster)),
  )
}

/** A request is written down once per stage; a watch is one for as long as it lasts, and not counted. */
export function requestsOf(events: readonly AuditEvent[], user: string, since: Date, till = new Date()): AuditEvent[] {
  return events.filter(
    ({ user: { username }, stage, verb, requestReceivedTimestamp }) =>
      username === user &&
      stage === 'ResponseComplete' &&
      verb !== 'watch' &&
      Date.parse(requestReceivedTimestamp) >= since.getTime() &&
      Date.parse(requestReceivedTimestamp) < till.getTime(),
  )
}

/** `patch managedclusters/status lanyard-x 200`: verb, resource, field manager where there is one, answer. */
export function kindOf({ verb, objectRef, requestURI, responseStatus }: AuditEvent): string {
  const resource = [objectRef?.resource, objectRef?.subresource].filter(Boolean).join('/')
  const manager = new URL(requestURI, 'https://hub').searchParams.get('fieldManager')
  return [verb, resource, manager, responseStatus?.code].filter(Boolean).join(' ')
}

export function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Record<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a))
}
