// The pull secret service: what reading, issuing, rotating and listing cost. See docs/performance.md.
import { availableParallelism, cpus, loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bundle } from '../shared/programs.ts'
import { progress } from '../shared/setting.ts'
import { crowdPart } from './crowd.ts'
import type { BenchServer } from './database.ts'
import { startServer } from './database.ts'
import { issuePart } from './issue.ts'
import { listPart } from './list.ts'
import { readPart } from './read.ts'
import type { Part } from './report.ts'
import { tableOf } from './report.ts'
import { rotatePart } from './rotate.ts'
import { sizePart } from './size.ts'

const names = ['read', 'issue', 'rotate', 'crowd', 'size', 'list'] as const
type Name = (typeof names)[number]

const usage = `Usage: npm run bench:pull-secrets -- [--only PART,…] [--rounds N] [--latency N] [--rate N]
                                     [--rows N,…] [--quick] [--json]

Measures the pull secret service on a PostgreSQL of its own that syncs its disk, with registries that are made up.
Takes about eight minutes; a quiet machine makes it repeatable.

  --only PART,…  only these parts: ${names.join(', ')}
  --rounds N     how often each rate of reading is measured (default 5)
  --latency N    milliseconds that registries take for a call (default 200; 20 where a large fleet rotates)
  --rate N       calls a second that a registry allows, for \`rotate\` (default 50)
  --rows N,…     sizes of the lists, ascending (default 1000,10000,100000,1000000)
  --quick        small sizes, to see that it works
  --json         every value as JSON on stdout
`

const { values: asked } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    latency: { type: 'string', default: '200' },
    rate: { type: 'string', default: '50' },
    rows: { type: 'string', default: '1000,10000,100000,1000000' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (asked.help) refuse()
const wanted = chosen(asked.only)

const say = progress()
const [load = 0] = loadavg()
if (load > availableParallelism() / 2) say(`the machine is busy (load ${load.toFixed(1)}): expect wide ranges`)
const isFull = !asked.quick
const latencyMs = Number(asked.latency)
const cache = resolve(import.meta.dirname, '../../node_modules/.cache/bench-pull-secrets')

const parts: Record<Name, (server: BenchServer) => Promise<Part>> = {
  read: (server) =>
    readPart(
      server,
      {
        clusters: isFull ? 1_000 : 50,
        rounds: isFull ? Number(asked.rounds) : 2,
        callers: isFull ? [1, 8, 16, 64] : [1, 16],
        seconds: isFull ? 2 : 0.3,
      },
      say,
    ),
  issue: (server) => issuePart(server, { requests: isFull ? 40 : 4, latencyMs }, say),
  rotate: (server) => {
    const rate = { rps: Number(asked.rate), burst: 5 }
    const fleets = [
      { clusters: isFull ? 1_000 : 10, latencyMs: 20 },
      { clusters: isFull ? 100 : 5, latencyMs },
    ]
    return rotatePart(server, { rate, fleets }, say)
  },
  crowd: (server) => crowdPart(server, { requests: isFull ? 500 : 50, latencyMs }, say),
  async size(server) {
    await bundle([resolve(import.meta.dirname, '../../src/cli/main.ts')], cache)
    const counts = isFull
      ? { credentials: 100_000, reads: 20_000, pages: 500 }
      : { credentials: 2_000, reads: 200, pages: 5 }
    return sizePart(server, { ...counts, program: join(cache, 'main.mjs') }, say)
  },
  list: (server) => {
    const sizes = isFull ? asked.rows.split(',').map(Number) : [1_000, 2_000]
    return listPart(server, { sizes, times: isFull ? 30 : 3 }, say)
  },
}

const found: Partial<Record<Name, Part>> = {}
await using server = await startServer()
for (const name of wanted) {
  const part = await parts[name](server)
  for (const { what, measured } of part.lines) say(`${what}: ${measured}`)
  found[name] = part
}
say('done')
const setting = `Node ${process.versions.node}, PostgreSQL ${server.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, load ${load.toFixed(1)} at the start and ${(loadavg()[0] ?? 0).toFixed(1)} at the end`
const all = Object.entries(found)
console.log(
  asked.json
    ? JSON.stringify({ setting, ...Object.fromEntries(all.map(([name, { values }]) => [name, values])) }, undefined, 2)
    : `\n${setting}\n\n${tableOf(all.flatMap(([, { lines }]) => lines))}`,
)

function chosen(text: string | undefined): readonly Name[] {
  if (text === undefined) return names
  const unknown = text.split(',').find((name) => !(names as readonly string[]).includes(name))
  if (unknown !== undefined) refuse(`there is no part ${unknown}`)
  return names.filter((name) => text.split(',').includes(name))
}

function refuse(why?: string): never {
  console.log(why === undefined ? usage : `${why}\n\n${usage}`)
  process.exit(why === undefined ? 0 : 2)
}
