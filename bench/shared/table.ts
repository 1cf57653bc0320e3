import type { Row } from './rows.ts'
import type { Sample } from './statistics.ts'

/** A Markdown table that also reads well on a terminal. Medians, with the smallest and largest in brackets. */
export function table(rows: readonly Row[], names: { ours: string; theirs: string }): string {
  const isAimed = rows.some(({ goal }) => goal !== undefined)
  const head = ['', names.ours, names.theirs, 'ratio', isAimed ? 'goal' : 'better?']
  const lines = [head, ...rows.map((row) => [...cellsOf(row), isAimed ? reached(row) : verdict(row)])]
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)))
  const pad = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(' | ')} |`
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [pad(head), rule, ...lines.slice(1).map(pad)].join('\n')
}

const cellsOf = (row: Row): string[] => [
  row.title,
  withUnit(row.ours, row.unit),
  withUnit(row.theirs, row.unit),
  `${row.ratio.toFixed(2)}×`,
]

/** By the medians; "ranges meet" where the worst run of one is no worse than the best of the other. */
const verdict = ({ ratio, apart }: Row): string => `${ratio > 1 ? 'yes' : 'no'}${apart ? '' : ', ranges meet'}`

const reached = ({ ratio, goal }: Row): string =>
  goal === undefined ? '' : `${goal}×, ${ratio >= goal ? 'met' : 'missed'}`

const withUnit = ({ median, min, max }: Sample, unit: string): string =>
  `${figures(median)}${unit.startsWith('/') ? '' : ' '}${unit} (${figures(min)}–${figures(max)})`

/** Three digits are as many as a shared machine has to tell. */
function figures(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
