// Break glass under load: what a decision costs beside an answer that decides nothing. See docs/performance.md.
import { availableParallelism, cpus, loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { launchEmbedded } from '../../test/support/control-plane/embedded.ts'
import type { Flooded } from '../../test/support/long-reviews.ts'
import { start, until } from '../join/processes.ts'
import { connectTo } from '../shared/connect.ts'
import { bundle, run } from '../shared/programs.ts'
import { progress } from '../shared/setting.ts'
import type { Workload } from './questions.ts'
import { workloads } from './questions.ts'
import { reportOf } from './report.ts'
import type {
  BystandersAnswer,
  BystandersTask,
  Flood,
  FloodAnswer,
  FloodTask,
  HubFacts,
  HubTask,
  NeighboursAnswer,
  NeighboursTask,
  Phase,
  StandIns,
  ThroughputAnswer,
  ThroughputTask,
} from './tasks.ts'
import { floods, phases } from './tasks.ts'
import { addSessions, makeWorld } from './world.ts'

const usage = `Usage: npm run bench:access -- [--clusters N] [--sessions N] [--policies N] [--rounds N] [--quick] [--json]

Asks a hub over TLS on loopback as the API servers of a fleet do, as fast as it answers: about people without a session,
with one, with one whose cluster has to be asked, and about what a policy forbids; beside a route of the same server that
answers a constant. Then at a steady pace, while one cluster is dead, and while one floods; and while somebody sends the
longest questions there are with the token of one cluster, and without any. Takes about ten minutes; a quiet machine
makes it repeatable.

  --clusters N  clusters (default 500)
  --sessions N  sessions (default 10,000); measured with a hundred as well
  --policies N  policies (default 1,000)
  --rounds N    how often each thing is measured (default 3)
  --rate N      questions a second while one cluster is in trouble (default 400)
  --flood N     connections of the cluster that floods, each as fast as it is answered (default 128)
  --only PARTS  of speed, trouble, floods; with commas (default: all)
  --for N       seconds of each flood (default 60); without any, at most 60
  --quick       few of everything, once, to see that it works
  --json        every value as JSON on stdout
`

const { values: asked } = parseArgs({
  options: {
    clusters: { type: 'string' },
    sessions: { type: 'string' },
    policies: { type: 'string' },
    rounds: { type: 'string' },
    rate: { type: 'string' },
    flood: { type: 'string' },
    only: { type: 'string', default: 'speed,trouble,floods' },
    for: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (asked.help) {
  console.log(usage)
  process.exit(0)
}

const isFull = !asked.quick
const choose = (given: string | undefined, full: number, quick: number) => Number(given ?? (isFull ? full : quick))
const clusters = choose(asked.clusters, 500, 20)
const most = choose(asked.sessions, 10_000, 200)
const policies = choose(asked.policies, 1_000, 50)
const rounds = choose(asked.rounds, 3, 1)
const rate = choose(asked.rate, 400, 100)
const flood = choose(asked.flood, 128, 32)
const parts = asked.only.split(',')
const floodMs = choose(asked.for, 60, 5) * 1_000
const floodConnections = { 'longest reviews': 64, 'no token': 400 }
/** Of each cluster: as many in all as five hundred have, so that few of them measure the decision and no limit. */
const reviewsPerSecond = Math.max(200, 100_000 / clusters)
const speed = { connections: 32, warmMs: isFull ? 1_500 : 500, forMs: isFull ? 5_000 : 1_000 }
const phaseMs = isFull ? 10_000 : 2_000
const deadRate = 50
/** A measurement that takes so much longer than it should hangs. */
const graceMs = 30_000

const say = progress()
const [load = 0] = loadavg()
if (load > availableParallelism() / 2) say(`the machine is busy (load ${load.toFixed(1)}): expect wide ranges`)
const cache = resolve(import.meta.dirname, '../../node_modules/.cache/bench-access')
const source = (name: string) => resolve(import.meta.dirname, `${name}.ts`)
await bundle([source('hub'), source('load'), source('stand-ins')], cache)

await using outside = start(process.execPath, [join(cache, 'stand-ins.mjs'), String(clusters)])
await until('the stand-ins are there', () => outside.output().includes('\n'), { by: outside })
const standIns = JSON.parse(outside.output()) as StandIns
await using plane = await launchEmbedded({ controllers: false })
await using admin = await connectTo(plane.adminKubeconfigPath)
say(`making ${clusters} clusters and ${policies} policies`)
await makeWorld(admin, standIns, policies)

const none = <A>(): Record<Workload, A[]> => ({
  constant: [],
  'no session': [],
  cached: [],
  'round trip': [],
  policy: [],
})
const throughput = new Map<number, Record<Workload, ThroughputAnswer[]>>()
const neighbours: Record<Phase, NeighboursAnswer[]> = {
  'all is well': [],
  'a cluster is dead': [],
  'a cluster floods': [],
}

/** A hub of its own for each number of sessions, so that none has the memory of another. */
async function withHub(sessions: number, measure: (hub: HubFacts) => Promise<void>): Promise<void> {
  const kubeconfig = plane.adminKubeconfigPath
  const task: HubTask = { kubeconfig, clusters, sessions, policies, reviewsPerSecond }
  await using running = start(process.execPath, ['--expose-gc', join(cache, 'hub.mjs'), JSON.stringify(task)])
  await until('the hub is there', () => running.output().includes('\n'), { by: running })
  const hub = JSON.parse(running.output()) as HubFacts
  await settled(hub, sessions)
  await measure(hub)
  const said = running.output().split('\n').slice(1).join('\n').trim()
  if (said !== '') throw new Error(`the hub is in trouble: ${said}`)
}

/** Once everything is known, even what was made last: the round trip meets every kind of object. */
async function settled(hub: HubFacts, sessions: number): Promise<void> {
  const tried = { hub, clusters, sessions, connections: 4, warmMs: 0, forMs: 200 }
  const isRight = (workload: Workload) =>
    run<ThroughputAnswer>(cache, 'load', { ...tried, do: 'throughput', workload }, graceMs).then(
      ({ wrong }) => wrong === 0,
      () => false,
    )
  for (const workload of workloads)
    await until(`the hub answers "${workload}" rightly`, () => isRight(workload), { everyMs: 500 })
}

const flooded: Record<Flood, FloodAnswer[]> = { nothing: [], 'longest reviews': [], 'no token': [] }

let there = 0
for (const sessions of [Math.min(100, most), most]) {
  say(`making ${sessions} sessions`)
  await addSessions(admin, there, sessions, clusters)
  there = sessions
  const measured = none<ThroughputAnswer>()
  if (parts.includes('speed')) throughput.set(sessions, measured)
  else if (sessions < most) continue
  await withHub(sessions, async (hub) => {
    for (let round = 0; round < rounds && parts.includes('speed'); round++)
      for (let at = 0; at < workloads.length; at++) {
        // Another one goes first each time.
        const workload = workloads[(at + round) % workloads.length] as Workload
        say(`${sessions} sessions, round ${round + 1} of ${rounds}: ${workload}`)
        const task: ThroughputTask = { ...speed, do: 'throughput', hub, clusters, sessions, workload }
        const withinMs = speed.warmMs + speed.forMs + graceMs
        measured[workload].push(await run<ThroughputAnswer>(cache, 'load', task, withinMs))
      }
    if (sessions === most && parts.includes('trouble')) await withTrouble(hub)
    if (sessions === most && parts.includes('floods')) await withFloods(hub)
  })
}

async function withTrouble(hub: HubFacts): Promise<void> {
  for (let round = 0; round < rounds; round++)
    for (let at = 0; at < phases.length; at++) {
      const phase = phases[(at + round) % phases.length] as Phase
      say(`round ${round + 1} of ${rounds}: ${phase}`)
      await hanging(phase === 'a cluster is dead' ? '0' : '')
      const task: NeighboursTask = {
        ...{ do: 'neighbours', hub, clusters, sessions: most, phase },
        ...{ rate, deadRate, floodConnections: flood, forMs: phaseMs },
      }
      neighbours[phase].push(await run<NeighboursAnswer>(cache, 'load', task, phaseMs + graceMs))
      await hanging('')
    }
}

/** Whoever floods has a process of its own, and begins a moment before the others ask. */
async function withFloods(hub: HubFacts): Promise<void> {
  for (const flood of floods) {
    say(`flooded with ${flood}`)
    // Quiet, a minute shows as much as ten.
    const forMs = flood === 'nothing' ? Math.min(floodMs, 60_000) : floodMs
    const common = { hub, clusters, sessions: most, forMs }
    const withinMs = forMs + graceMs
    const whole: FloodTask | undefined =
      flood === 'nothing'
        ? undefined
        : { ...common, do: 'flood', isKnown: flood === 'longest reviews', connections: floodConnections[flood] }
    const flooding = whole && run<Flooded>(cache, 'load', { ...whole, forMs: forMs + 1_000 }, withinMs)
    const task: BystandersTask = { ...common, do: 'bystanders', rate }
    const [answer, found] = await Promise.all([run<BystandersAnswer>(cache, 'load', task, withinMs), flooding])
    flooded[flood].push({ ...answer, ...(found && { flooded: found }) })
  }
}

async function hanging(cluster: string): Promise<void> {
  const answer = await fetch(standIns.control, { method: 'POST', body: cluster, signal: AbortSignal.timeout(graceMs) })
  await answer.arrayBuffer()
}
say('done')

const answers = { clusters, policies, throughput, rate, neighbours, flooded }
const setting = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim()}, load ${load.toFixed(1)} at the start and ${(loadavg()[0] ?? 0).toFixed(1)} at the end`
console.log(
  asked.json
    ? JSON.stringify({ setting, ...answers, throughput: Object.fromEntries(throughput) }, undefined, 2)
    : `\n${setting}\n\n${reportOf(answers)}`,
)
