// The join of a fleet: Lanyard's hub and agent beside OCM's, on the same API server. See docs/performance.md.
import { cpus, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { CannotBuild, ensureAssets } from '../../tools/kube-assets/build.ts'
import { pins } from '../../tools/kube-assets/versions.ts'
import { bundle } from '../shared/programs.ts'
import { prepareMachine, progress } from '../shared/setting.ts'
import type { AgentAnswer } from './agent-turn.ts'
import { agentTurn } from './agent-turn.ts'
import type { Id } from './contestants.ts'
import { contestants, ids } from './contestants.ts'
import { floorMs } from './floor.ts'
import { onEmbedded, onKube } from './hub-scene.ts'
import type { JoinAnswer } from './join-turn.ts'
import { joinTurn } from './join-turn.ts'
import type { Answers } from './report.ts'
import { tableOf } from './report.ts'

const groups = ['join', 'agent', 'floor'] as const

const usage = `Usage: npm run bench:join -- [--rounds N] [--clusters N,…] [--contestants ID,…] [--skip-ocm]
                               [--plane NAME] [--only GROUP,…] [--rest N] [--profile FOLDER] [--json]
       npm run bench:join -- --scale N [--minutes N]

Lets clusters join Lanyard's hub and OCM's, in turn, each on a real API server, and prints a table.
Takes about fifteen minutes; a quiet machine makes it repeatable.

  --rounds N          how often each is measured (default 3); with more than 100 clusters, once less
  --clusters N,…      simulated clusters that join at once (default 100,500)
  --contestants ID,…  only these: ${ids.join(', ')}
  --skip-ocm          only ours
  --only GROUP,…      only these groups: ${groups.join(', ')}
  --plane NAME        what hubs run on: kube (default) or embedded
  --rest N            seconds until an agent counts as at rest, and for which it is then listened to (default 60)
  --profile FOLDER    where our hub writes a CPU profile when it ends
  --json              every value as JSON on stdout
  --scale N           so many clusters on one hub over the embedded control plane, and nothing else
  --minutes N         with --scale: how long their leases are renewed at the real rate (default 5)
`

const { values: asked } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    clusters: { type: 'string', default: '100,500' },
    contestants: { type: 'string' },
    'skip-ocm': { type: 'boolean', default: false },
    only: { type: 'string' },
    rest: { type: 'string', default: '60' },
    profile: { type: 'string' },
    json: { type: 'boolean', default: false },
    plane: { type: 'string', default: 'kube' },
    scale: { type: 'string' },
    minutes: { type: 'string', default: '5' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

const wanted = chosen('group', groups, asked.only)
const sides = chosen('contestant', ids, asked.contestants).filter((id) => !asked['skip-ocm'] || !id.startsWith('ocm'))
if (asked.help) refuse()

const say = progress()
const load = await prepareMachine(say)
await ensureOcm()
const cache = resolve(
  import.meta.dirname,
  `../../node_modules/.cache/bench-join${asked.scale === undefined ? '' : '-scale'}`,
)
await bundle([resolve(import.meta.dirname, '../../src/cli/main.ts')], cache)
const profiling = asked.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(asked.profile)}`]
const launch = asked.plane === 'embedded' ? onEmbedded(join(cache, 'main.mjs')) : onKube
const known = contestants(join(cache, 'main.mjs'), profiling)

if (asked.scale === undefined) await compare()
else {
  const { growFleet } = await import('./scale.ts')
  console.log(await growFleet(join(cache, 'main.mjs'), Number(asked.scale), Number(asked.minutes) * 60, say))
}

async function compare(): Promise<void> {
  const counts = asked.clusters.split(',').map(Number)
  const rounds = Number(asked.rounds)
  const answers: Answers = { join: new Map(), agent: new Map(), floor: new Map() }
  for (let round = 0; round < rounds; round++) {
    // The first to go changes: what else the machine does must not always meet the same one.
    const order = round % 2 === 0 ? sides : sides.toReversed()
    for (const id of order) await measure(id, { round, rounds, counts, answers })
    for (const count of counts)
      if (wanted.includes('floor') && isDue(count, round, rounds)) {
        say(`round ${round + 1} of ${rounds}: the same writes for ${count} clusters without a hub`)
        add(answers.floor, count, await floorMs(count))
      }
  }
  say('done')
  const setting = {
    node: process.versions.node,
    kubernetes: pins['kube-apiserver'].version,
    etcd: pins.etcd.version,
    ocm: pins['ocm-registration'].version,
    processor: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    load,
    rounds,
    counts,
  }
  if (asked.json) return console.log(JSON.stringify({ setting, ...plain(answers) }, undefined, 2))
  console.log(
    [
      '',
      `Node ${setting.node}, Kubernetes ${setting.kubernetes}, etcd ${setting.etcd}, OCM ${setting.ocm}, ${setting.processor}, load ${load.toFixed(1)} at the start`,
      `Medians of ${rounds} rounds in turn, smallest and largest in brackets; a ratio above 1 is in Lanyard's favour.`,
      '',
      tableOf(
        answers,
        sides.map((id) => known[id]),
      ),
    ].join('\n'),
  )
}

interface Measuring {
  round: number
  rounds: number
  counts: readonly number[]
  answers: Answers
}

async function measure(id: Id, { round, rounds, counts, answers }: Measuring): Promise<void> {
  const contestant = known[id]
  const saying = (what: string) => say(`round ${round + 1} of ${rounds}, ${contestant.name}: ${what}`)
  if (wanted.includes('join'))
    for (const count of counts) {
      if (!isDue(count, round, rounds)) continue
      saying(`${count} clusters join`)
      const answer = await joinTurn(contestant, { launch, clusters: count, say })
      saying(`accepted in ${(answer.acceptMs / 1_000).toFixed(2)} s, hub CPU ${(answer.hubCpuMs / 1_000).toFixed(2)} s`)
      add(answers.join, `${id} ${count}`, answer satisfies JoinAnswer)
    }
  if (wanted.includes('agent') && id !== 'ocm') {
    saying('real agents join')
    const turn = { launch, clusters: counts[0] ?? 100, restSeconds: Number(asked.rest), say: saying }
    const answer: AgentAnswer = await agentTurn(contestant, turn)
    saying(`available after ${answer.availableMs.map((ms) => (ms / 1_000).toFixed(2)).join(', ')} s`)
    add(answers.agent, id, answer)
  }
}

/** Large ones take minutes, and spread less. */
function isDue(count: number, round: number, rounds: number): boolean {
  return count <= 100 || round === 0 || round < rounds - 1
}

function add<K, V>(answers: Map<K, V[]>, key: K, answer: V): void {
  answers.set(key, [...(answers.get(key) ?? []), answer])
}

function plain(answers: Answers): Record<string, unknown> {
  return Object.fromEntries(Object.entries(answers).map(([group, found]) => [group, Object.fromEntries(found)]))
}

function chosen<T extends string>(what: string, all: readonly T[], text: string | undefined): readonly T[] {
  if (text === undefined) return all
  const unknown = text.split(',').find((name) => !(all as readonly string[]).includes(name))
  if (unknown !== undefined) refuse(`there is no ${what} ${unknown}`)
  return all.filter((name) => text.split(',').includes(name))
}

function refuse(why?: string): never {
  console.log(why === undefined ? usage : `${why}\n\n${usage}`)
  process.exit(why === undefined ? 0 : 2)
}

async function ensureOcm(): Promise<void> {
  if (asked.scale !== undefined || !sides.some((id) => id.startsWith('ocm'))) return
  try {
    await ensureAssets({ names: ['ocm-registration'] })
  } catch (error) {
    if (!(error instanceof CannotBuild)) throw error
    console.error(error.message)
    process.exit(1)
  }
}
