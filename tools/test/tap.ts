import { tap } from 'node:test/reporters'
import type { Tally, TestEvent } from './reporter.ts'
import { failedFile } from './reporter.ts'
import type { Flaky, Result } from './run-files.ts'

const keys = { flaky: 'lanyard flaky', tally: 'lanyard tally' }

/**
 * The report of a run as it counts: of a file that was tried again, what the last try showed. At its end the flaky files
 * and the runner's own counts as comments, since TAP's totals leave out suites that failed or were skipped.
 */
export async function tapReport({ runs, flaky, ofNoFile, tally }: Result): Promise<string> {
  const blocks = [...runs.map(({ events }) => events), ...ofNoFile.map(({ name, text }) => [failedFile(name, text)])]
  const numbered = blocks.flatMap((events, index) => events.map((event) => withNumber(event, index + 1)))
  const plan = { type: 'test:plan', data: { nesting: 0, count: blocks.length } }
  const parts = await Array.fromAsync(tap(asStream([...numbered, plan])))
  const comments = [
    ...flaky.map((one) => `# ${keys.flaky} ${JSON.stringify(one)}`),
    `# ${keys.tally} ${tally.passed} ${tally.failed} ${tally.skipped}`,
  ]
  return `${parts.join('')}${comments.join('\n')}\n`
}

/** Batches and tries count files from one. */
const withNumber = (event: TestEvent, testNumber: number): TestEvent =>
  event.data.nesting === 0 ? { ...event, data: { ...event.data, testNumber } } : event

async function* asStream(events: readonly TestEvent[]): Parameters<typeof tap>[0] {
  for (const event of events) yield event as never
}

export const flakyIn = (report: string): Flaky[] =>
  Array.from(report.matchAll(new RegExp(`^# ${keys.flaky} (.*)$`, 'gm')), ([, json = '']) => JSON.parse(json))

/** A report without a tally was cut off: one failure. */
export function tallyOf(report: string): Tally {
  const [, passed, failed, skipped] = new RegExp(`^# ${keys.tally} (\\d+) (\\d+) (\\d+)$`, 'm').exec(report) ?? []
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
  return Array.from(blocks).flatMap(([, name = '', indent = '', details = '']) =>
    details.includes("failureType: 'subtestsFailed'")
      ? []
      : { name, words: wordsOf(details.split('\n'), indent.length) },
  )
}

/** From the error on: before it stand times and places. */
function wordsOf(details: readonly string[], indent: number): string[] {
  const lines = details.map((line) => line.slice(indent))
  const from = lines.findIndex((line) => line.startsWith('error:'))
  return from < 0 ? [] : lines.slice(from, from + mostWords)
}
