import type { Tally } from './reporter.ts'

const key = 'lanyard tally'

/**
 * The runner's own counts as a closing TAP comment: TAP's totals leave out suites that failed or were skipped. Before them
 * what failed and has no line of its own in TAP.
 */
export const closingComments = ({ passed, failed, skipped }: Tally, unnamed: readonly string[] = []): string =>
  [...unnamed.map((name) => `# lanyard failed ${name}`), `# ${key} ${passed} ${failed} ${skipped}`, ''].join('\n')

/** Reads them back. A report without them was cut off: one failure. */
export function tallyOf(report: string): Tally {
  const [, passed, failed, skipped] = new RegExp(`^# ${key} (\\d+) (\\d+) (\\d+)$`, 'm').exec(report) ?? []
  if (passed === undefined) return { passed: 0, failed: 1, skipped: 0 }
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) }
}

/** What failed by itself, not by something in it: its name, and what it died of. */
export interface FailureInReport {
  name: string
  /** Lines, the first ones: a report is read where output is cut at its beginning. */
  words: string[]
}

const mostWords = 30

export function failuresIn(report: string): FailureInReport[] {
  const blocks = report.matchAll(/^ *not ok \d+ - (.*)\n( *)---\n([\s\S]*?)\n\2\.\.\.$/gm)
  const told = Array.from(blocks).flatMap(([, name = '', indent = '', details = '']) =>
    details.includes("failureType: 'subtestsFailed'")
      ? []
      : { name, words: wordsOf(details.split('\n'), indent.length) },
  )
  const unnamed = Array.from(report.matchAll(/^# lanyard failed (.*)$/gm), ([, name = '']) => ({ name, words: [] }))
  return [...told, ...unnamed]
}

/** From the error on: before it stand times and places. */
function wordsOf(details: readonly string[], indent: number): string[] {
  const lines = details.map((line) => line.slice(indent))
  const from = lines.findIndex((line) => line.startsWith('error:'))
  return from < 0 ? [] : lines.slice(from, from + mostWords)
}
