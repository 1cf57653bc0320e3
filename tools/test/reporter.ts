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
  /** The program of the batch. */
  entryFile?: string
  skip?: string | boolean
  todo?: string | boolean
  details: { type?: string; duration_ms: number; error?: Died & { cause?: unknown; failureType?: string } }
}

type Died = Error & { exitCode?: number | null; signal?: string | null }

interface Said {
  file?: string
  nesting?: number
  message: string
}

export interface Followed {
  tally: Tally
  /** What failed without a test that did. */
  unnamed: string[]
}

const none = (): Tally => ({ passed: 0, failed: 0, skipped: 0 })
/** What a process said last is shown where it died. */
const lastLines = 20

/**
 * A line a file as it ends, what failed in full, what was skipped with its reason. Counts tests, and suites that did not
 * pass; and each of `files` that has no test, or that never ended because its process did before.
 */
export function follow(
  stream: NodeJS.ReadableStream,
  files: readonly string[],
  write: (line: string) => void,
): Promise<Followed> {
  const total = none()
  const unnamed: string[] = []
  const missing = new Set(files)
  const said = new Map<string | undefined, string[]>()
  let batch: string | undefined
  let ofFile = none()
  const count = (outcome: keyof Tally) => {
    total[outcome]++
    ofFile[outcome]++
  }
  // What is told comes batch by batch, file by file, however many run at once. One that died may stop in mid-file.
  const endsFile = (ended: Ended): boolean => {
    if (ended.entryFile !== batch) ofFile = none()
    batch = ended.entryFile
    return ended.nesting === 0 && missing.delete(ended.name)
  }
  const endFile = ({ name, details: { duration_ms } }: Ended) => {
    const isEmpty = ofFile.passed + ofFile.failed + ofFile.skipped === 0
    if (isEmpty) {
      count('failed')
      unnamed.push(`${name}: it has no test`)
    }
    const { passed, failed, skipped } = ofFile
    ofFile = none()
    const seconds = (duration_ms / 1000).toFixed(1)
    const notes = [isEmpty ? 'it has no test' : failed && `${failed} failed`, skipped && `${skipped} skipped`]
    write(`${failed ? '✖' : '✔'} ${name}  ${[`${passed} in ${seconds} s`, ...notes.filter(Boolean)].join(', ')}`)
  }
  const tellFailure = ({ name, file, details: { error } }: Ended) => {
    const cause = error?.cause instanceof Error ? error.cause : error
    write(`\n✖ ${name} (${file ? relative('.', file) : '?'})`)
    write(indent(String(cause?.stack ?? error?.cause ?? error)))
  }
  const tellDeath = ({ name, details: { error } }: Ended) => {
    write(`\n✖ the process of ${name} ended with ${error?.signal ?? error?.exitCode ?? error?.message}`)
    write(indent((said.get(name) ?? []).join('\n')))
  }
  stream.on('test:pass', (ended: Ended) => {
    const isSkipped = ended.skip !== undefined && ended.skip !== false
    const ends = endsFile(ended)
    if (isSkipped) write(`  skipped: ${ended.name}: ${ended.skip}`)
    // A suite that passed says nothing its tests have not said, and a process that ended well nothing its files have not.
    if (isSkipped) count('skipped')
    else if (ended.details.type !== 'suite' && ended.nesting > 0) count('passed')
    if (ends) endFile(ended)
  })
  stream.on('test:fail', (ended: Ended) => {
    const ends = endsFile(ended)
    const isTold = ended.details.type === 'suite' && ended.details.error?.failureType === 'subtestsFailed'
    if (!isTold) {
      if (ended.nesting > 0 || ends) tellFailure(ended)
      else tellDeath(ended)
      count('failed')
    }
    if (ends) endFile(ended)
  })
  stream.on('test:stderr', ({ file, message }: Said) => {
    said.set(file, [...(said.get(file) ?? []), ...message.trimEnd().split('\n')].slice(-lastLines))
  })
  stream.on('test:diagnostic', ({ nesting, message }: Said) => {
    if (nesting === 0 && message.startsWith('Error:')) write(`✖ ${message}`)
  })
  const end = () => {
    for (const file of missing) {
      write(`✖ ${file}  did not end: its process did before`)
      unnamed.push(`${file}: did not end`)
    }
    // Of a process that died after a test of it had failed, this is all there is.
    if (missing.size > 0)
      for (const [name, lines] of said) write(`the last words of ${name}\n${indent(lines.join('\n'))}`)
    total.failed += missing.size
    return { tally: total, unnamed }
  }
  return new Promise((resolve, reject) => stream.once('end', () => resolve(end())).once('error', reject))
}

const indent = (text: string): string => text.replace(/^/gm, '    ')

export const tallyLine = ({ passed, failed, skipped }: Tally): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`
