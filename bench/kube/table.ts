import type { Row } from './rows.ts'
import type { Sample } from './statistics.ts'

const head = ['', 'lanyard', 'client-node', 'ratio', 'better?']

/** A Markdown table that also reads well on a terminal. Medians, with the smallest and largest in brackets. */
export function table(rows: readonly Row[]): string {
  const lines = [head, ...rows.map((row) => cellsOf(row))]
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)))
  const pad = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(' | ')} |`
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [pad(head), rule, ...lines.slice(1).map(pad)].join('\n')
}

function cellsOf({ title, unit, ours, theirs, ratio, apart }: Row): string[] {
  return [title, withUnit(ours, unit), withUnit(theirs, unit), `${ratio.toFixed(2)}×`, verdict(ratio, apart)]
}

/** By the medians; "ranges meet" where the worst run of one is no worse than the best of the other. */
const verdict = (ratio: number, apart: boolean): string => `${ratio > 1 ? 'yes' : 'no'}${apart ? '' : ', ranges meet'}`

const withUnit = ({ median, min, max }: Sample, unit: string): string =>
  `${figures(median)}${unit.startsWith('/') ? '' : ' '}${unit} (${figures(min)}–${figures(max)})`

/** Three digits are as many as a shared machine has to tell. */
function figures(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
