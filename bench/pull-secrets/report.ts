import { markdown } from '../join/report.ts'
import type { Sample } from '../shared/statistics.ts'

export interface Line {
  what: string
  measured: string
  /** What it is to be compared with. */
  beside: string
  /** Empty where none was set. */
  goal: string
}

export interface Part {
  lines: Line[]
  /** For --json. */
  values: unknown
}

export const tableOf = (lines: readonly Line[]): string =>
  markdown([
    ['', 'measured', 'beside', 'goal'],
    ...lines.map(({ what, measured, beside, goal }) => [what, measured, beside, goal]),
  ])

export const goalOf = (goal: string, isMet: boolean): string => `${goal}, ${isMet ? 'met' : 'missed'}`

/** The median, and the smallest and the largest in brackets. */
export function shown({ median, min, max, values }: Sample, unit: string): string {
  const range = values.length > 1 ? ` (${digits(min)}–${digits(max)})` : ''
  return `${digits(median)}${unit.startsWith('/') ? '' : ' '}${unit}${range}`
}

/** Three digits are as many as a shared machine has to tell. */
function digits(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
