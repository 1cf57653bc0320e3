import type { Better, Sample } from '../shared/statistics.ts'
import { ratioOf, sampleOf } from '../shared/statistics.ts'
import type { AgentAnswer } from './agent-turn.ts'
import type { Contestant } from './contestants.ts'
import type { JoinAnswer } from './join-turn.ts'

export interface Answers {
  /** By contestant and count. */
  join: Map<string, JoinAnswer[]>
  /** By contestant. */
  agent: Map<string, AgentAnswer[]>
  /** By count, in milliseconds. */
  floor: Map<number, number[]>
}

interface Figure<A> {
  title: string
  unit: string
  read(answer: A): readonly number[]
}

const seconds = <A>(title: string, read: (answer: A) => number): Figure<A> => ({
  title,
  unit: 's',
  read: (answer) => [read(answer) / 1_000],
})

const mebibytes = <A>(title: string, read: (answer: A) => number): Figure<A> => ({
  title,
  unit: 'MiB',
  read: (answer) => [read(answer) / 2 ** 20],
})

const joinFigures: readonly Figure<JoinAnswer>[] = [
  seconds('accept: namespace, rights, condition of all', ({ acceptMs }) => acceptMs),
  seconds('of that, CPU of kube-apiserver and etcd', ({ serverCpuMs }) => serverCpuMs),
  seconds('of that, CPU of the hub', ({ acceptCpuMs }) => acceptCpuMs),
  seconds('connect: joined, available, a renewal', ({ connectMs }) => connectMs),
  seconds('hub CPU, the whole join', ({ hubCpuMs }) => hubCpuMs),
  mebibytes('hub RSS after it', ({ hubRss }) => hubRss),
  mebibytes('hub RSS, highest', ({ hubPeakRss }) => hubPeakRss),
  { title: 'hub requests per cluster', unit: '', read: ({ requests }) => [requests] },
  { title: 'of these, writes', unit: '', read: ({ writes }) => [writes] },
]

const agentFigures: readonly Figure<AgentAnswer>[] = [
  {
    title: 'agent, start → Available',
    unit: 's',
    read: ({ availableMs }) => availableMs.map((ms) => ms / 1_000),
  },
  mebibytes('agent RSS at rest', ({ rss }) => rss),
  mebibytes('agent RSS, highest', ({ peakRss }) => peakRss),
  { title: 'agent at rest, requests to the hub', unit: '/min', read: ({ requests }) => [requests] },
  seconds('agent at rest, CPU a minute', ({ cpuMsPerMinute }) => cpuMsPerMinute),
  seconds('all at once, auto-approved, until the last renewal', ({ wholeMs }) => wholeMs),
  seconds('of that, CPU of the hub', ({ wholeCpuMs }) => wholeCpuMs),
]

/** A row for each figure, a column for each contestant; the first is who the others are compared with. */
export function tableOf(answers: Answers, contestants: readonly Contestant[]): string {
  const counts = [...new Set([...answers.join.keys()].map((key) => Number(key.split(' ')[1])))].sort((a, b) => a - b)
  const rows = [
    ...counts.flatMap((count) => [
      ...joinFigures.map((figure) =>
        row(
          `${count}: ${figure.title}`,
          figure,
          contestants.map(({ id }) => answers.join.get(`${id} ${count}`)),
        ),
      ),
      ...floorRow(count, answers.floor.get(count), contestants.length),
    ]),
    ...agentFigures.map((figure) =>
      row(
        figure.title,
        figure,
        contestants.map(({ id }) => answers.agent.get(id)),
      ),
    ),
  ].filter((cells) => cells.slice(1).some((cell) => cell !== ''))
  return markdown([['', ...contestants.map(({ name }) => name)], ...rows])
}

function row<A>(title: string, { unit, read }: Figure<A>, all: readonly (readonly A[] | undefined)[]): string[] {
  const samples = all.map((answers) => (answers?.length ? sampleOf(answers.flatMap(read)) : undefined))
  const [first] = samples
  const cells = samples.map((sample, index) => {
    if (!sample) return ''
    const ratio = first && index > 0 ? `, ${ratioOf(first, sample, better).toFixed(2)}×` : ''
    return `${shown(sample, unit)}${ratio}`
  })
  return [title, ...cells]
}

/** Of all that is measured here. */
const better: Better = 'less'

function floorRow(count: number, ms: readonly number[] | undefined, columns: number): string[][] {
  if (!ms) return []
  const cell = shown(sampleOf(ms.map((value) => value / 1_000)), 's')
  return [[`${count}: the same writes without a hub`, cell, ...Array.from({ length: columns - 1 }, () => '')]]
}

function shown({ median, min, max, values }: Sample, unit: string): string {
  const range = values.length > 1 ? ` (${digits(min)}–${digits(max)})` : ''
  return `${digits(median)}${unit === '' || unit.startsWith('/') ? unit : ` ${unit}`}${range}`
}

/** Three digits are as many as a shared machine has to tell. */
function digits(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

/** A Markdown table that also reads well on a terminal. */
export function markdown(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  const pad = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  const [head = [], ...rest] = lines
  return [pad(head), rule, ...rest.map(pad)].join('\n')
}
