import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import { spokeKinds } from '../../src/apis/fleet-kinds.ts'
import { applyManifests } from '../../src/cli/apply-manifests.ts'
import { untilServed } from '../../src/cli/init-steps.ts'
import { systemClock } from '../../src/core/clock.ts'
import { isTrue } from '../../src/core/conditions.ts'
import { systemRandom } from '../../src/core/random.ts'
import { agentNamespace, agentUser, conditions } from '../../src/fleet/names.ts'
import type { KubeClient } from '../../src/kube/client/index.ts'
import { agentNamespaceManifest } from '../../src/registration/manifests/agent.ts'
import { crdManifests } from '../../src/registration/manifests/crds.ts'
import { launchEmbedded } from '../../test/support/control-plane/embedded.ts'
import type { OwnControlPlane } from '../../test/support/control-plane.ts'
import { cpuMsOf } from '../embedded/usage.ts'
import type { Contestant } from './contestants.ts'
import { agentId } from './contestants.ts'
import type { HubScene, Launch } from './hub-scene.ts'
import { open, realClusters, startHubScene } from './hub-scene.ts'
import { countBy, kindOf, requestsOf, timed } from './join-turn.ts'
import type { Running } from './processes.ts'
import { residentBytes, untilCalm } from './processes.ts'
import type { SimulatedAgent } from './simulated-agents.ts'
import { ask, certificates, connectAndReport, each, newAgents } from './simulated-agents.ts'

/** What real agents came to, and a fleet that lets itself in. */
export interface AgentAnswer {
  /** From the start of the process until the cluster is Available, each a process of its own. */
  availableMs: number[]
  /** At rest. */
  rss: number
  peakRss: number
  /** Asked of the hub in a minute at rest; watches not counted. */
  requests: number
  cpuMsPerMinute: number
  /** Many clusters at once, from the first request until the last agent has renewed its lease. */
  wholeMs: number
  wholeCpuMs: number
}

export interface AgentTurn {
  launch: Launch
  /** Simulated ones that let themselves in. */
  clusters: number
  restSeconds: number
  say(line: string): void
}

/** Real agents, one after the other, on a hub of their kind that approves what they ask for. */
export async function agentTurn(contestant: Contestant, turn: AgentTurn): Promise<AgentAnswer> {
  await using scene = await startHubScene(contestant, { autoApproval: true, launch: turn.launch })
  await using spoke = await launchEmbedded({})
  await using onSpoke = open(spoke.connection())
  await prepareSpoke(onSpoke)
  await untilCalm([...Object.values(spoke.pids), ...Object.values(scene.plane.pids)], 20_000)
  const availableMs: number[] = []
  let rest: Rest | undefined
  for (const [index, cluster] of realClusters.entries()) {
    const { ms, agent } = await startAgent(contestant, cluster, scene, spoke)
    await using _ = agent
    availableMs.push(ms)
    if (index === realClusters.length - 1) rest = await atRest(agent, cluster, scene, turn)
  }
  if (!rest) throw new Error('there was no agent')
  return { availableMs, ...rest, ...(await wholeJoin(scene, turn.clusters)) }
}

async function prepareSpoke(kube: KubeClient): Promise<void> {
  const { signal } = new AbortController()
  const crds = crdManifests(spokeKinds)
  await applyManifests(kube, [...crds, agentNamespaceManifest(agentNamespace)], signal)
  await untilServed(crds, { kube, clock: systemClock, random: systemRandom, signal, timeoutMs: 30_000 })
}

const patienceMs = 60_000

async function startAgent(contestant: Contestant, cluster: string, scene: HubScene, spoke: OwnControlPlane) {
  const bootstrapKubeconfig = join(spoke.dir, `${cluster}.kubeconfig`)
  const kubeconfig = spoke.adminKubeconfigPath
  await writeFile(bootstrapKubeconfig, await readBootstrap(scene), { mode: 0o600 })
  const stop = AbortSignal.timeout(patienceMs)
  const events = scene.admin
    .of(ManagedCluster.resource)
    .watch({ fieldSelector: `metadata.name=${cluster}`, signal: stop })
  const available = (async () => {
    for await (const event of events)
      if (event.type === 'MODIFIED' && isTrue(event.object.status?.conditions, conditions.available)) return
    throw new Error(`${cluster} did not become available`)
  })()
  await sleep(200)
  const startedAt = performance.now()
  const agent = await contestant.startAgent({ cluster, kubeconfig, bootstrapKubeconfig, dir: join(spoke.dir, cluster) })
  try {
    await available
  } catch (error) {
    throw new Error(`${error}\n${agent.output().slice(-4_000)}`, { cause: error })
  }
  return { ms: performance.now() - startedAt, agent }
}

const readBootstrap = async ({ bootstrapKubeconfig }: HubScene): Promise<string> =>
  (await import('node:fs/promises')).readFile(bootstrapKubeconfig, 'utf8')

type Rest = Pick<AgentAnswer, 'rss' | 'peakRss' | 'requests' | 'cpuMsPerMinute'>

/** The second half of the rest is counted: by then what follows a join is over. */
async function atRest(
  agent: Running,
  cluster: string,
  scene: HubScene,
  { restSeconds, say }: AgentTurn,
): Promise<Rest> {
  say(`its agent rests for ${restSeconds * 2} s`)
  await sleep(restSeconds * 1_000)
  const [from, cpuBefore] = [new Date(), cpuMsOf([agent.pid])]
  const { now: rss, peak: peakRss } = residentBytes(agent.pid)
  await sleep(restSeconds * 1_000)
  const asked = requestsOf(await scene.plane.auditEvents(), agentUser(cluster, agentId), from)
  const perMinute = 60 / restSeconds
  if (process.env['BENCH_REQUESTS']) say(JSON.stringify(countBy(asked, kindOf), undefined, 1))
  return {
    rss,
    peakRss,
    requests: asked.length * perMinute,
    cpuMsPerMinute: (cpuMsOf([agent.pid]) - cpuBefore) * perMinute,
  }
}

async function wholeJoin(scene: HubScene, count: number): Promise<Pick<AgentAnswer, 'wholeMs' | 'wholeCpuMs'>> {
  const { hub } = scene
  const agents = await newAgents('whole', count)
  await untilCalm([hub.pid])
  const cpuBefore = cpuMsOf([hub.pid])
  const report = async (all: readonly SimulatedAgent[]) => {
    const signed = await certificates(scene, all)
    await each(all, (agent) => connectAndReport(scene, agent, signed.get(agent.cluster) ?? ''))
  }
  const wholeMs = await timed(async () => {
    await each(agents, (agent) => ask(scene, agent))
    await report(agents)
  })
  await untilCalm([hub.pid])
  return { wholeMs, wholeCpuMs: cpuMsOf([hub.pid]) - cpuBefore }
}
