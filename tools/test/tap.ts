import type { Tally } from './reporter.ts'

/** The closing counts of a TAP report as node:test writes them. A report without them was cut off: one failure. */
export function tallyOf(report: string): Tally {
  const count = (name: string) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(report)?.[1] ?? Number.NaN)
  const [passed, failed, cancelled, skipped] = [count('pass'), count('fail'), count('cancelled'), count('skipped')]
  if (Number.isNaN(passed)) return { passed: 0, failed: 1, skipped: 0 }
  return { passed, failed: failed + cancelled, skipped }
}
