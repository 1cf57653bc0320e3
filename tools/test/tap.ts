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

/** The names of what failed by itself, not by something in it. */
export function failuresIn(report: string): string[] {
  const blocks = report.matchAll(/^ *not ok \d+ - (.*)\n( *)---\n([\s\S]*?)\n\2\.\.\.$/gm)
  const told = Array.from(blocks).flatMap(([, name = '', , details = '']) =>
    details.includes("failureType: 'subtestsFailed'") ? [] : name,
  )
  return [...told, ...Array.from(report.matchAll(/^# lanyard failed (.*)$/gm), ([, name = '']) => name)]
}
