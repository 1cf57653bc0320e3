// The hub's way into its clusters: what a fleet costs, and what one that hangs costs the others. See docs/performance.md.
import { availableParallelism, cpus, loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { launchEmbedded } from '../../test/support/control-plane/embedded.ts'
import { start, until } from '../join/processes.ts'
import { connectTo } from '../shared/connect.ts'
import { bundle, run } from '../shared/programs.ts'
import { progress } from '../shared/setting.ts'
import { newFleet, prepareHub } from './fleet.ts'
import type { Group } from './groups.ts'
import type { Spread } from './load.ts'
import { reportOf } from './report.ts'
import type { StandIns } from './stand-ins-contract.ts'
import type { CheckAnswer, CheckTask, FloorTask, LoadAnswer, LoadTask } from './tasks.ts'

const usage = `Usage: npm run bench:reach -- [--clusters N] [--rounds N] [--rate N] [--quick] [--json]

Lets a hub get into a fleet of API servers that are made up, with issuers that are made up, all on this machine: how
long the first look at all takes, what it costs in memory, what is called when nothing happens, and how long calls take
while one cluster hangs, and while one issuer hangs. Takes about eight minutes; a quiet machine makes it repeatable.

  --clusters N  clusters (default 500)
  --rounds N    how often each thing is measured (default 3)
  --rate N      calls a second, over all clusters (default 250)
  --quick       few clusters, once, to see that it works
  --json        every value as JSON on stdout
`

const { values: asked } = parseArgs({
  options: {
    clusters: { type: 'string' },
    rounds: { type: 'string' },
    rate: { type: 'string', default: '250' },
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
const clusters = Number(asked.clusters ?? (isFull ? 500 : 40))
const rounds = Number(asked.rounds ?? (isFull ? 3 : 1))
const issuers = 8
const loadOf = { rate: Number(asked.rate), phaseMs: isFull ? 15_000 : 3_000, rounds, clusters }
const longestMs = 1_200_000

const say = progress()
const [load = 0] = loadavg()
if (load > availableParallelism() / 2) say(`the machine is busy (load ${load.toFixed(1)}): expect wide ranges`)
const cache = resolve(import.meta.dirname, '../../node_modules/.cache/bench-reach')
const source = (name: string) => resolve(import.meta.dirname, `${name}.ts`)
await bundle([source('hub'), source('floor'), source('stand-ins')], cache)

await using outside = start(process.execPath, [join(cache, 'stand-ins.mjs'), String(clusters), String(issuers)])
await until('the stand-ins are there', () => outside.output().includes('\n'), { by: outside })
const standIns = JSON.parse(outside.output()) as StandIns
await using plane = await launchEmbedded({ controllers: false })
const { adminKubeconfigPath: kubeconfig } = plane
await using admin = await connectTo(kubeconfig)
await prepareHub(admin, standIns)
const common = { kubeconfig, standIns }

const counts = [0, Math.floor(clusters / 2), clusters]
const checks = new Map<number, CheckAnswer[]>(counts.map((count) => [count, []]))
const floorMs: number[] = []
for (let round = 0; round < rounds; round++) {
  for (const count of counts) {
    say(`round ${round + 1} of ${rounds}: a hub finds ${count} clusters`)
    await newFleet(admin, standIns, count)
    const isLast = count === clusters && round === rounds - 1
    const restMs = isLast ? (isFull ? 120_000 : 3_000) : 0
    const task: CheckTask = { ...common, do: 'check', clusters: count, restMs }
    checks.get(count)?.push(await run<CheckAnswer>(cache, 'hub', task, longestMs))
  }
  say('the same requests without a hub')
  await newFleet(admin, standIns, clusters)
  const task: FloorTask = { ...common, ...loadOf, do: 'floor-check' }
  floorMs.push((await run<{ ms: number }>(cache, 'floor', task, longestMs)).ms)
}
say(`${loadOf.rate} calls a second without a hub`)
const bare = await run<Record<Group, Spread>[]>(cache, 'floor', { ...common, ...loadOf, do: 'floor-load' }, longestMs)
say(`${loadOf.rate} calls a second by a hub; one cluster hangs, then one issuer`)
await newFleet(admin, standIns, clusters)
const task: LoadTask = { ...common, ...loadOf, do: 'load', tokenSeconds: isFull ? 40 : 32 }
const loads = await run<LoadAnswer>(cache, 'hub', task, longestMs)
say('done')

const answers = { clusters, issuers, rate: loadOf.rate, checks, floorMs, bare, loads }
const setting = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim()}, load ${load.toFixed(1)} at the start and ${(loadavg()[0] ?? 0).toFixed(1)} at the end`
console.log(
  asked.json
    ? JSON.stringify({ setting, ...answers, checks: Object.fromEntries(checks) }, undefined, 2)
    : `\n${setting}\n\n${reportOf(answers)}`,
)
