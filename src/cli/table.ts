import { printable } from './printable.ts'

/** A column of a table: its heading, and what it shows of a row. */
export interface TableColumn<Row> {
  heading: string
  cell(row: Row): string | undefined
  /** Only with `-o wide`. */
  wide?: boolean
}

/** Rows under headings, as kubectl prints them: columns as wide as needed, nothing after the last. */
export function formatTable<Row>(columns: readonly TableColumn<Row>[], rows: readonly Row[], isWide = false): string {
  const shown = columns.filter(({ wide = false }) => isWide || !wide)
  const lines = [
    shown.map(({ heading }) => heading),
    ...rows.map((row) => shown.map(({ cell }) => oneLine(cell(row) ?? '') || none)),
  ]
  const widths = shown.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines
    .map((line) => line.map((text, at) => text.padEnd(widths[at] ?? 0)).join('   '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

const oneLine = (text: string): string => printable(text).replace(/\n+/g, ' ')

/** What a cell shows when there is nothing to show. */
const none = '-'

const units: readonly [name: string, seconds: number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
]

/** `3d4h`, `12m`, `45s`: the two largest units that say something. Negative times count as none. */
export function formatSpan(ms: number): string {
  let left = Math.max(0, Math.round(ms / 1_000))
  const parts: string[] = []
  for (const [name, seconds] of units) {
    const amount = Math.floor(left / seconds)
    left -= amount * seconds
    if (amount > 0) parts.push(`${amount}${name}`)
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.join('') || '0s'
}
