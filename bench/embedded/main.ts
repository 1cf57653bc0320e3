// The embedded control plane beside a real kube-apiserver with etcd, in one run. See docs/performance.md.
import { cpus, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { pins } from '../../tools/kube-assets/versions.ts'
import { bundle, run } from '../shared/programs.ts'
import type { Row } from '../shared/rows.ts'
import { rowOf } from '../shared/rows.ts'
import { prepareMachine, progress } from '../shared/setting.ts'
import { table } from '../shared/table.ts'
import { figuresOf } from './figures.ts'
import { liveTogether } from './life.ts'
import { embedded, real } from './planes.ts'
import type { Group, Life, Living, Scale } from './steps.ts'
import { groups } from './steps.ts'
import type { TaskName } from './tasks.ts'

const usage = `Usage: npm run bench:embedded -- [--quick] [--json] [--only GROUP,…] [--rounds N] [--profile FOLDER]

Measures the embedded control plane beside a real kube-apiserver with etcd and prints a table.
Takes about twenty minutes; a quiet machine makes it repeatable.

  --quick           fewer objects and watches, one round, to see that it works: a minute and a half
  --json            every value as JSON on stdout
  --only GROUP,…    only these groups: ${groups.join(', ')}
  --rounds N        how often each of the two is measured
  --profile FOLDER  where the embedded one writes a CPU profile when it ends
`

const full: Scale = {
  rounds: 3,
  oneByOne: 1_000,
  objects: 10_000,
  updates: 5_000,
  gets: 10_000,
  lists: 5,
  watchers: 1_000,
  changes: 40,
  burst: 100,
  watches: 5_000,
  updatesPerSecond: 200,
  updateSeconds: 60,
  settleMs: 5_000,
}
const quick: Scale = {
  rounds: 1,
  oneByOne: 200,
  objects: 1_000,
  updates: 500,
  gets: 1_000,
  lists: 3,
  watchers: 200,
  changes: 10,
  burst: 100,
  watches: 500,
  updatesPerSecond: 100,
  updateSeconds: 3,
  settleMs: 1_000,
}

const { values: asked } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    profile: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const only = asked.only?.split(',')
const unknown = only?.find((name) => !(groups as readonly string[]).includes(name))
if (asked.help || unknown !== undefined) {
  console.log(unknown === undefined ? usage : `there is no group ${unknown}\n\n${usage}`)
  process.exit(unknown === undefined ? 0 : 2)
}

const say = progress()
const load = await prepareMachine(say)

const cache = resolve(import.meta.dirname, '../../node_modules/.cache')
const [server, clients] = [join(cache, 'bench-embedded'), join(cache, 'bench-embedded-client')]
const programs: readonly TaskName[] = ['create', 'update', 'get', 'list', 'fan-out', 'watches']
await bundle([resolve(import.meta.dirname, '../../src/cli/main.ts')], server)
await bundle(
  programs.map((name) => join(import.meta.dirname, 'client', `${name}.ts`)),
  clients,
)

const scale = { ...(asked.quick ? quick : full), ...(asked.rounds !== undefined && { rounds: Number(asked.rounds) }) }
/** No client takes this long; one that hangs fails. */
const clientWithinMs = 180_000 + scale.updateSeconds * 1_000
const wants = (group: Group): boolean => only?.includes(group) ?? true
const figures = groups.filter(wants).flatMap((group) => figuresOf(scale)[group])
const profiling = asked.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(asked.profile)}`]
const contestants = { ours: embedded(join(server, 'main.mjs'), profiling), theirs: real }
const ask: Living['ask'] = (name, task) => run(clients, name, task, clientWithinMs)
const lives: Record<keyof typeof contestants, Life>[] = []
for (let round = 0; round < scale.rounds; round++)
  lives.push(await liveTogether(contestants, { scale, wants, say, ask }, round))
const rows = figures.map((figure) =>
  rowOf(figure, { ours: lives.map(({ ours }) => ours), theirs: lives.map(({ theirs }) => theirs) }),
)
say('done')

const setting = {
  node: process.versions.node,
  kubernetes: pins['kube-apiserver'].version,
  etcd: pins.etcd.version,
  processor: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
  load,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  ...scale,
}

console.log(asked.json ? JSON.stringify({ setting, rows }, undefined, 2) : forPeople(rows))

function forPeople(rows: readonly Row[]): string {
  return [
    '',
    `Node ${setting.node}, Kubernetes ${setting.kubernetes}, etcd ${setting.etcd}, ${setting.processor}, load ${load.toFixed(1)} at the start`,
    `Medians of ${scale.rounds} rounds, step by step in turn, smallest and largest in brackets; a ratio above 1 is in favour of the embedded one.`,
    '',
    table(rows, { ours: contestants.ours.name, theirs: contestants.theirs.name }),
  ].join('\n')
}
