import { markdown } from '../join/report.ts'
import { goalOf, shown } from '../pull-secrets/report.ts'
import { sampleOf } from '../shared/statistics.ts'
import type { Group } from './groups.ts'
import type { Spread } from './load.ts'
import type { CheckAnswer, LoadAnswer } from './tasks.ts'
import { phases } from './tasks.ts'

export interface Answers {
  clusters: number
  issuers: number
  /** Calls a second. */
  rate: number
  /** By the number of clusters. */
  checks: ReadonlyMap<number, readonly CheckAnswer[]>
  floorMs: readonly number[]
  bare: readonly Record<Group, Spread>[]
  loads: LoadAnswer
}

export const reportOf = (answers: Answers): string => [fleetTable(answers), loadTable(answers)].join('\n\n')

function fleetTable({ clusters, issuers, checks, floorMs }: Answers): string {
  const all = checks.get(clusters) ?? []
  const atRest = all.at(-1)?.atRest
  const seconds = (values: readonly number[]) => shown(sampleOf(values.map((ms) => ms / 1_000)), 's')
  const rss = (count: number) => sampleOf((checks.get(count) ?? []).map((answer) => answer.rss / 2 ** 20))
  const smallest = Math.min(...checks.keys())
  const perCluster = ((rss(clusters).median - rss(smallest).median) * 1_024) / clusters
  const byOidc = clusters - Math.floor(clusters / 5)
  const counted = (read: (answer: CheckAnswer) => number) => [...new Set(all.map(read))].join(', ')
  return markdown([
    [`${clusters} clusters, ${issuers} issuers`, 'measured', 'beside'],
    [
      'from the start of the hub until all are Ready',
      seconds(all.map(({ ms }) => ms)),
      `${seconds(floorMs)} for the same requests without a hub`,
    ],
    ['of that, CPU of the hub', seconds(all.map(({ cpuMs }) => cpuMs)), ''],
    ...[...checks.keys()].map((count) => [
      `RSS of the hub's part with ${count} clusters`,
      shown(rss(count), 'MiB'),
      '',
    ]),
    ['memory a cluster, connection included', `${perCluster.toFixed(0)} KiB`, ''],
    [
      'token requests until all are Ready',
      counted(({ counts }) => counts.tokens),
      goalOf(
        `${byOidc}, one a cluster that has tokens`,
        all.every(({ counts }) => counts.tokens === byOidc),
      ),
    ],
    [
      'discovery documents until all are Ready',
      counted(({ counts }) => counts.discoveries),
      goalOf(
        `${issuers}, one an issuer`,
        all.every(({ counts }) => counts.discoveries === issuers),
      ),
    ],
    ...(atRest
      ? [
          [
            'at rest, calls to all clusters',
            `${atRest.calls.toFixed(0)} /min`,
            `${(atRest.calls / clusters).toFixed(2)} /min a cluster`,
          ],
          [
            'at rest, token requests',
            `${atRest.tokens.toFixed(1)} /min`,
            `${(byOidc / 59.5).toFixed(1)} /min in the long run`,
          ],
          ['at rest, calls to the hub', `${atRest.hubCalls.toFixed(0)} /min`, ''],
          ['at rest, CPU of the hub', `${(atRest.cpuMs / 1_000).toFixed(2)} s/min`, ''],
        ]
      : []),
  ])
}

function loadTable({ rate, bare, loads }: Answers): string {
  const row = (title: string, spreads: readonly Spread[]) => [
    title,
    ...(['p50', 'p95', 'p99', 'max'] as const).map((part) =>
      shown(sampleOf(spreads.map((spread) => spread[part])), 'ms'),
    ),
    `${sum(spreads, 'failed')} of ${sum(spreads, 'calls').toLocaleString('en')}`,
  ]
  return markdown([
    [`${rate} calls a second`, 'p50', 'p95', 'p99', 'most', 'failed'],
    row(
      'a bare client: other clusters',
      bare.map(({ others }) => others),
    ),
    ...phases.map((phase) =>
      row(
        `${phase}: other clusters`,
        loads[phase].map(({ others }) => others),
      ),
    ),
    ...(['a cluster hangs', 'an issuer hangs'] as const).map((phase) =>
      row(
        `${phase}: itself`,
        loads[phase].map((groups) => groups[phase === 'a cluster hangs' ? 'hanging cluster' : 'hanging issuer']),
      ),
    ),
  ])
}

const sum = (spreads: readonly Spread[], field: 'calls' | 'failed'): number =>
  spreads.reduce((total, spread) => total + spread[field], 0)
