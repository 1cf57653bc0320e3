import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import { findCondition } from '../../src/core/conditions.ts'
import { conditions } from '../../src/fleet/names.ts'
import { cpuMsOf } from '../embedded/usage.ts'
import { inParallel } from '../shared/timing.ts'
import { contestants } from './contestants.ts'
import type { HubScene } from './hub-scene.ts'
import { onEmbedded, startHubScene } from './hub-scene.ts'
import { heartbeats } from './lease-traffic.ts'
import { residentBytes } from './processes.ts'
import { markdown } from './report.ts'
import {
  accept,
  approve,
  ask,
  certificates,
  connectAndReport,
  newAgents,
  patiently,
  reportStatus,
} from './simulated-agents.ts'

/** Where the growth is looked at. */
const steps = [0, 1_000, 2_500, 5_000, 10_000, 20_000]
/** Of each step, those that come with a key and a certificate of their own. */
const withCertificate = 50
const settleMs = 15_000
const atOnce = 32

interface Point {
  clusters: number
  joinSeconds: number
  hub: number
  server: number
}

/** A fleet that grows on one hub over the embedded control plane and then beats for a while. Returns what to print. */
export async function growFleet(
  bundle: string,
  count: number,
  seconds: number,
  say: (line: string) => void,
): Promise<string> {
  const load = loadavg()[0] ?? 0
  const { lanyard } = contestants(bundle)
  await using scene = await startHubScene(lanyard, { autoApproval: false, launch: onEmbedded(bundle) })
  const beats = heartbeats(scene.admin)
  const points: Point[] = []
  for (const [index, upTo] of [...steps.filter((step) => step < count), count].entries()) {
    const from = points.at(-1)?.clusters ?? 0
    const startedAt = performance.now()
    await grow(scene, beats, from, upTo)
    const joinSeconds = (performance.now() - startedAt) / 1_000
    await sleep(index === 0 ? 2_000 : settleMs)
    points.push({ clusters: upTo, joinSeconds, ...memory(scene) })
    say(`${upTo} clusters: hub ${mib(points.at(-1)?.hub)}, embedded control plane ${mib(points.at(-1)?.server)}`)
  }
  const pids = pidsOf(scene)
  const before = { hub: cpuMsOf([pids.hub]), server: cpuMsOf([pids.server]), renewed: beats.renewed() }
  say(`leases are renewed at their real rate for ${seconds} s`)
  await sleep(seconds * 1_000)
  const share = (pid: number, was: number) => `${((cpuMsOf([pid]) - was) / (seconds * 10)).toFixed(1)} %`
  const cpu = { hub: share(pids.hub, before.hub), server: share(pids.server, before.server) }
  const after = memory(scene)
  const renewals = beats.renewed() - before.renewed
  await beats.stop()
  const states = await statesOf(scene)
  const [first, last] = [points[0], points.at(-1)]
  const perCluster = (part: 'hub' | 'server') =>
    `${(((last?.[part] ?? 0) - (first?.[part] ?? 0)) / count / 1_024).toFixed(1)} KiB`
  return [
    '',
    `${count} clusters on one hub over the embedded control plane, load ${load.toFixed(1)} at the start`,
    '',
    markdown([
      ['clusters', 'joined in', 'hub RSS', 'embedded RSS'],
      ...points.map(({ clusters, joinSeconds, hub, server }) => [
        clusters.toLocaleString('en'),
        `${joinSeconds.toFixed(0)} s`,
        mib(hub),
        mib(server),
      ]),
      [`after ${seconds} s of renewals`, '', mib(after.hub), mib(after.server)],
      ['per cluster', '', perCluster('hub'), perCluster('server')],
      ['CPU, of one core', '', cpu.hub, cpu.server],
    ]),
    '',
    `${(renewals / seconds).toFixed(0)} renewals a second, ${beats.failed()} failed, ${beats.slowest()} ms the slowest; ${JSON.stringify(states)}`,
  ].join('\n')
}

const pidsOf = ({ hub, plane }: HubScene) => ({ hub: hub.pid, server: Object.values(plane.pids)[0] ?? 0 })

function memory(scene: HubScene) {
  const pids = pidsOf(scene)
  const [hub, server] = [residentBytes(pids.hub).now, residentBytes(pids.server).now]
  return { hub, server }
}

const mib = (bytes = 0): string => `${Math.round(bytes / 2 ** 20)} MiB`

async function grow(scene: HubScene, beats: ReturnType<typeof heartbeats>, from: number, upTo: number): Promise<void> {
  const real = await newAgents(`real${from}-`, Math.min(withCertificate, upTo - from))
  await inParallel(real.length, atOnce, async (number) => {
    const agent = real[number]!
    await ask(scene, agent)
    await approve(scene, agent)
    await accept(scene, agent)
  })
  const signed = await certificates(scene, real)
  await inParallel(real.length, atOnce, async (number) => {
    const agent = real[number]!
    await connectAndReport(scene, agent, signed.get(agent.cluster) ?? '')
    await beats.begin(agent.cluster)
  })
  const clusters = scene.admin.of(ManagedCluster.resource)
  await inParallel(upTo - from - real.length, atOnce, async (number) => {
    const name = `cluster${from + number}`
    await clusters.create({ metadata: { name }, spec: { hubAcceptsClient: true, leaseDurationSeconds: 60 } })
    await beats.begin(name)
    await patiently(() => reportStatus(scene.admin, name))
  })
}

/** How many clusters have Available at each status. */
async function statesOf({ admin }: HubScene): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for await (const { items } of admin.of(ManagedCluster.resource).pages())
    for (const { status } of items) {
      const state = `Available=${findCondition(status?.conditions, conditions.available)?.status}`
      counts[state] = (counts[state] ?? 0) + 1
    }
  return counts
}
