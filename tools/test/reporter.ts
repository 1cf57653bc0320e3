import { relative } from 'node:path'
import type { Batch } from './batches.ts'

export interface Tally {
  passed: number
  failed: number
  skipped: number
}

/** One of the runner's events, as its reporters take them. */
export interface TestEvent {
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: what an event carries depends on its type, and Node declares it for some.
  data: any
}

export interface Failure {
  /** The test, or the file where the failure is no test's. */
  name: string
  error: unknown
  text: string
}

/** What one run showed of one file. */
export interface FileRun {
  file: string
  tally: Tally
  failures: Failure[]
  /** For the report: everything about its tests, and how it ended. */
  events: TestEvent[]
}

export interface Followed {
  runs: FileRun[]
  /** The process of their batch died in another file: before they began, or before their results were out. */
  notEnded: string[]
  /** Errors that came after their test had ended, or a process that ended with an error although all its files had passed. */
  ofNoFile: Failure[]
}

interface Ended {
  name: string
  nesting: number
  file?: string
  /** The program of the batch, but for its own events. */
  entryFile?: string
  skip?: string | boolean
  details: { type?: string; duration_ms: number; error?: Died & { cause?: unknown; failureType?: string } }
}

type Died = Error & { exitCode?: number | null; signal?: string | null }

interface Printed {
  file?: string
  nesting?: number
  message: string
}

export const noTally = (): Tally => ({ passed: 0, failed: 0, skipped: 0 })
/** What a process printed last is shown where it died. */
const lastLines = 20

/** A batch while its process runs: its files one after the other. */
interface Progress {
  waiting: string[]
  current: Omit<FileRun, 'file'>
  isFailed: boolean
  death?: Died
  lateErrors: string[]
  lastWords: string[]
}

const nothingYet = (): Progress['current'] => ({ tally: noTally(), failures: [], events: [] })

/**
 * Writes a line a file as it ends, what failed in full, what was skipped with its reason. Counts tests, suites that did not
 * pass, files without a test, and files in which their process died. `batches` are the programs with the files of each.
 */
export function follow(
  stream: NodeJS.ReadableStream,
  batches: ReadonlyMap<string, Batch>,
  write: (line: string) => void,
  /** Which file the process of a batch was in last. */
  lastFileOf: (entry: string) => string | undefined = () => undefined,
): Promise<Followed> {
  const runs: FileRun[] = []
  const inProgress = new Map(
    Array.from(batches, ([entry, files]): [string, Progress] => [
      entry,
      { waiting: [...files], current: nothingYet(), isFailed: false, lateErrors: [], lastWords: [] },
    ]),
  )
  const batchOf = ({ entryFile, file }: { entryFile?: string; file?: string }) =>
    inProgress.get(entryFile ?? '') ?? inProgress.get(file ?? '')

  const fail = (batch: Progress, failure: Failure) => {
    batch.isFailed = true
    batch.current.tally.failed++
    batch.current.failures.push(failure)
    write(`\n✖ ${failure.name}\n${indent(failure.text)}`)
  }
  const endFile = (batch: Progress, ended: Ended) => {
    const { tally, failures, events } = batch.current
    batch.waiting = batch.waiting.filter((file) => file !== ended.name)
    batch.current = nothingYet()
    const notes = [tally.failed && `${tally.failed} failed`, tally.skipped && `${tally.skipped} skipped`]
    const seconds = (ended.details.duration_ms / 1000).toFixed(1)
    const counts = [`${tally.passed} in ${seconds} s`, ...notes.filter(Boolean)].join(', ')
    write(`${tally.failed ? '✖' : '✔'} ${ended.name}  ${counts}`)
    runs.push({ file: ended.name, tally, failures, events })
  }
  const end = (type: 'test:pass' | 'test:fail') => (ended: Ended) => {
    const batch = batchOf(ended)
    // The program of a batch reports itself where it failed; `test:complete` says so in each case.
    if (!batch || ended.entryFile === undefined) return
    const { tally, events } = batch.current
    const endsFile = ended.nesting === 0 && batch.waiting.includes(ended.name)
    const isSkipped = ended.skip !== undefined && ended.skip !== false
    const { type: kind, error } = ended.details
    if (type === 'test:fail') {
      const isOfItsTests = kind === 'suite' && error?.failureType === 'subtestsFailed'
      if (!isOfItsTests) fail(batch, failureOf(ended))
    } else if (isSkipped) {
      write(`  skipped: ${ended.name}: ${ended.skip}`)
      tally.skipped++
      // A suite that passed shows nothing that its tests have not shown.
    } else if (kind !== 'suite' && ended.nesting > 0) tally.passed++
    const isEmpty = endsFile && tally.passed + tally.failed + tally.skipped === 0
    if (isEmpty) fail(batch, { name: ended.name, error: undefined, text: 'it has no test' })
    events.push(isEmpty ? failedFile(ended.name, 'it has no test') : { type, data: ended })
    if (endsFile) endFile(batch, ended)
  }
  stream.on('test:pass', end('test:pass')).on('test:fail', end('test:fail'))
  for (const type of ['test:start', 'test:plan', 'test:diagnostic'])
    stream.on(type, (data: Ended & Printed) => {
      const batch = batchOf(data)
      if (batch && data.entryFile !== undefined && (data.nesting > 0 || type === 'test:start'))
        batch.current.events.push({ type, data })
      else if (type === 'test:diagnostic' && data.message.startsWith('Error:')) batch?.lateErrors.push(data.message)
    })
  stream.on('test:complete', ({ name, details: { error } }: Ended) => {
    const batch = inProgress.get(name)
    if (batch && error) batch.death = error
  })
  stream.on('test:stderr', (printed: Printed) => {
    const batch = batchOf(printed)
    if (batch) batch.lastWords = [...batch.lastWords, ...printed.message.trimEnd().split('\n')].slice(-lastLines)
  })
  const endAll = (): Followed => {
    const followed: Followed = { runs, notEnded: [], ofNoFile: [] }
    for (const [entry, batch] of inProgress) {
      const diedIn = whereItDied(batch, lastFileOf(entry))
      // What is known of a file that is run again counts then.
      if (diedIn !== batch.waiting[0]) batch.current = nothingYet()
      const how = batch.death?.signal ?? batch.death?.exitCode ?? batch.death?.message
      const text = batch.lastWords.join('\n')
      if (diedIn !== undefined) {
        const message = `its process ended${how === undefined ? '' : ` with ${how}`}`
        fail(batch, { name: diedIn, error: batch.death, text: `${message}\n${text}` })
        batch.current.events.push(failedFile(diedIn, message, text))
        runs.push({ file: diedIn, ...batch.current })
        followed.notEnded.push(...batch.waiting.filter((file) => file !== diedIn))
      }
      const late = batch.lateErrors.join('\n')
      // An error that nobody caught ends the process with 1, also where a test was hit by it and has failed.
      const isOfItsTests = batch.isFailed && batch.death?.exitCode === 1
      if (late || (batch.death && diedIn === undefined && !isOfItsTests)) {
        const failure = {
          name: `the process of ${entry}`,
          error: batch.death,
          text: late || `ended with ${how}\n${text}`,
        }
        write(`\n✖ ${failure.name}\n${indent(failure.text)}`)
        followed.ofNoFile.push(failure)
      }
    }
    return followed
  }
  return new Promise((resolve, reject) => stream.once('end', () => resolve(endAll())).once('error', reject))
}

/** Its results may be behind: the file that it was in is on record, unless one before that has failed already. */
const whereItDied = ({ waiting, current }: Progress, last: string | undefined): string | undefined =>
  (current.failures.length === 0 && waiting.find((file) => file === last)) || waiting[0]

function failureOf({ name, file, nesting, details: { error } }: Ended): Failure {
  const cause = error?.cause instanceof Error ? error.cause : error
  return {
    name: nesting === 0 ? name : `${name} (${file ? relative('.', file) : '?'})`,
    error: cause,
    text: String(cause?.stack ?? error?.cause ?? error),
  }
}

/** What a report shows of a file that failed as a whole. */
export function failedFile(file: string, message: string, stack = ''): TestEvent {
  const error = Object.assign(new Error(message), { code: 'ERR_TEST_FAILURE', failureType: 'testCodeFailure', stack })
  return { type: 'test:fail', data: { name: file, nesting: 0, details: { duration_ms: 0, error } } }
}

export const indent = (text: string): string => text.replace(/^/gm, '    ')

export const tallyLine = ({ passed, failed, skipped }: Tally): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`
