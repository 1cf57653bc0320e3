import { relative } from 'node:path'

export interface Tally {
  passed: number
  failed: number
  skipped: number
}

interface Ended {
  name: string
  nesting: number
  file?: string
  skip?: string | boolean
  todo?: string | boolean
  details: { type?: string; duration_ms: number; error?: Error & { cause?: unknown } }
}

/** A line a file as it ends, what failed in full, what was skipped with its reason. Counts tests, and suites that did not pass. */
export function follow(stream: NodeJS.ReadableStream, write: (line: string) => void): Promise<Tally> {
  const total: Tally = { passed: 0, failed: 0, skipped: 0 }
  const files = new Map<string, Tally>()
  const countOf = (file = '?'): Tally => {
    const count = files.get(file) ?? { passed: 0, failed: 0, skipped: 0 }
    files.set(file, count)
    return count
  }
  const count = (ended: Ended, outcome: keyof Tally) => {
    // A suite that passed says nothing its tests have not said; one that was skipped or whose teardown failed does.
    if (ended.details.type === 'suite' && outcome === 'passed') return
    total[outcome]++
    countOf(ended.file)[outcome]++
  }
  stream.on('test:pass', (ended: Ended) => {
    count(ended, ended.skip === undefined || ended.skip === false ? 'passed' : 'skipped')
    if (ended.skip) write(`  skipped: ${ended.name}: ${ended.skip}`)
  })
  stream.on('test:fail', (ended: Ended) => {
    count(ended, 'failed')
    const error = ended.details.error
    const cause = error?.cause instanceof Error ? error.cause : error
    write(`\n✖ ${ended.name} (${ended.file ? relative('.', ended.file) : '?'})`)
    write(indent(String(cause?.stack ?? error?.cause ?? error)))
  })
  stream.on('test:summary', ({ file, duration_ms }: { file?: string; duration_ms: number }) => {
    if (!file) return
    const { passed, failed, skipped } = countOf(file)
    const seconds = (duration_ms / 1000).toFixed(1)
    const notes = [failed && `${failed} failed`, skipped && `${skipped} skipped`].filter(Boolean).join(', ')
    write(`${failed ? '✖' : '✔'} ${relative('.', file)}  ${passed} in ${seconds} s${notes && `, ${notes}`}`)
  })
  return new Promise((resolve, reject) => stream.once('end', () => resolve(total)).once('error', reject))
}

const indent = (text: string): string => text.replace(/^/gm, '    ')

export const tallyLine = ({ passed, failed, skipped }: Tally): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`
