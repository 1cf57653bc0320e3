import { markdown } from '../join/report.ts'
import { goalOf, shown } from '../pull-secrets/report.ts'
import type { Spread } from '../reach/load.ts'
import { sampleOf } from '../shared/statistics.ts'
import type { Workload } from './questions.ts'
import { workloads } from './questions.ts'
import type { Flood, FloodAnswer, NeighboursAnswer, Phase, ThroughputAnswer } from './tasks.ts'
import { floods, phases } from './tasks.ts'

export interface Answers {
  clusters: number
  policies: number
  /** By the number of sessions, then by what is asked. */
  throughput: ReadonlyMap<number, Readonly<Record<Workload, readonly ThroughputAnswer[]>>>
  rate: number
  neighbours: Readonly<Record<Phase, readonly NeighboursAnswer[]>>
  flooded: Readonly<Record<Flood, readonly FloodAnswer[]>>
}

const titles: Readonly<Record<Workload, string>> = {
  constant: 'a route that answers a constant',
  'no session': 'no session, no policy',
  cached: 'a session, and what its cluster said lately',
  'round trip': 'a session, and its cluster is asked (5 ms)',
  policy: 'denied by a policy',
}
/** Of the constant route, which no decision can be faster than. */
const leastShare = 0.6
const withGoal: readonly Workload[] = ['no session', 'cached']

export const reportOf = (answers: Answers): string =>
  [
    ...[...answers.throughput.keys()].map((count) => speedTable(count, answers)),
    ...(answers.throughput.size > 0 ? [growthTable(answers)] : []),
    ...(answers.neighbours['all is well'].length > 0 ? [neighbourTable(answers)] : []),
    ...(answers.flooded.nothing.length > 0 ? [floodTable(answers)] : []),
  ].join('\n\n')

const sampled = (answers: readonly ThroughputAnswer[], read: (answer: ThroughputAnswer) => number) =>
  sampleOf(answers.map(read))

function speedTable(sessions: number, { clusters, policies, throughput }: Answers): string {
  const measured = throughput.get(sessions)
  if (!measured) throw new Error(`nothing was measured with ${sessions} sessions`)
  const rates = (workload: Workload) => sampled(measured[workload], ({ perSecond }) => perSecond)
  const bare = rates('constant').median
  return markdown([
    [
      `${clusters} clusters, ${sessions} sessions, ${policies} policies`,
      'answers',
      'p50',
      'p99',
      'CPU for 1,000',
      'wrong',
      'of the constant route',
    ],
    ...workloads.map((workload) => {
      const share = rates(workload).median / bare
      const percent = `${Math.round(share * 100)} %`
      return [
        titles[workload],
        shown(rates(workload), '/s'),
        inMs(measured[workload], 'p50'),
        inMs(measured[workload], 'p99'),
        inMs(measured[workload], 'cpuMsPerThousand'),
        `${(sampled(measured[workload], ({ wrong }) => wrong).median * 100).toFixed(1)} %`,
        withGoal.includes(workload) ? goalOf(`${percent}; goal ${leastShare * 100} %`, share >= leastShare) : percent,
      ]
    }),
  ])
}

const inMs = (answers: readonly ThroughputAnswer[], what: 'p50' | 'p99' | 'cpuMsPerThousand'): string =>
  shown(
    sampled(answers, (answer) => answer[what]),
    'ms',
  )

/** What more sessions cost those who ask, and the memory. */
function growthTable({ throughput }: Answers): string {
  const rows = [...throughput].map(([sessions, measured]) => [
    `${sessions} sessions`,
    ...(['no session', 'cached'] as const).flatMap((workload) => [
      inMs(measured[workload], 'p50'),
      inMs(measured[workload], 'p99'),
    ]),
    shown(
      sampled(measured.cached, ({ usage }) => usage.heapUsed / 2 ** 20),
      'MiB',
    ),
    shown(
      sampled(measured.cached, ({ usage }) => usage.rss / 2 ** 20),
      'MiB',
    ),
  ])
  return markdown([['', 'no session p50', 'p99', 'cached p50', 'p99', 'heap', 'RSS'], ...rows])
}

function neighbourTable({ rate, neighbours }: Answers): string {
  const row = (title: string, spreads: readonly Spread[]) => [
    title,
    ...(['p50', 'p95', 'p99', 'max'] as const).map((part) =>
      shown(sampleOf(spreads.map((spread) => spread[part])), 'ms'),
    ),
    `${sum(spreads, 'failed')} of ${sum(spreads, 'calls').toLocaleString('en')}`,
  ]
  const trouble = (phase: Phase) => neighbours[phase].flatMap((answer) => answer.trouble ?? [])
  return markdown([
    [`${rate} questions a second`, 'p50', 'p95', 'p99', 'most', 'failed'],
    ...phases.map((phase) =>
      row(
        `${phase}: the others`,
        neighbours[phase].map(({ others }) => others),
      ),
    ),
    ...phases.filter((phase) => trouble(phase).length > 0).map((phase) => row(`${phase}: itself`, trouble(phase))),
  ])
}

/** Of what others feel while somebody floods, as a multiple of what they feel otherwise. */
const mostTimes = 2

function floodTable({ rate, flooded }: Answers): string {
  const quiet = flooded.nothing[0]
  return markdown([
    [
      `${rate} questions a second of others`,
      ...[
        'p50',
        'p99',
        'most',
        'p99, times the quiet one',
        'failed',
        'not denied that should be',
        'lease',
        'CPU of the hub a second',
        'its event loop, p99',
      ],
      'of the flood: denied, not denied, refused, ended',
    ],
    ...floods.flatMap((flood) =>
      flooded[flood].map(({ others, undenied, lease, cpuMsPerSecond, loopP99, flooded: itself }) => {
        const times = others.p99 / (quiet?.others.p99 ?? Number.NaN)
        const isKept = lease.won === 1 && lease.isHeld
        return [
          titleOf[flood],
          ...[others.p50, others.p99, others.max].map((ms) => `${ms.toFixed(1)} ms`),
          flood === 'nothing' ? '' : goalOf(`${times.toFixed(2)}; goal ${mostTimes}`, times <= mostTimes),
          `${others.failed} of ${others.calls.toLocaleString('en')}`,
          goalOf(`${undenied + (itself?.noOpinion ?? 0)}; goal 0`, undenied + (itself?.noOpinion ?? 0) === 0),
          goalOf(isKept ? 'kept' : `lost, won ${lease.won} times`, isKept),
          `${cpuMsPerSecond.toFixed(0)} ms`,
          `${loopP99.toFixed(1)} ms`,
          itself ? `${itself.denied}, ${itself.noOpinion}, ${itself.refused}, ${itself.unanswered}` : '',
        ]
      }),
    ),
  ])
}

const titleOf: Readonly<Record<Flood, string>> = {
  nothing: 'nobody floods',
  'longest reviews': 'one cluster sends 16 MiB, 64 at a time',
  'no token': '400 connections without a token',
}

const sum = (spreads: readonly Spread[], field: 'calls' | 'failed'): number =>
  spreads.reduce((total, spread) => total + spread[field], 0)
