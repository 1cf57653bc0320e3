import { existsSync, readFileSync } from 'node:fs'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { run } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Batch } from './batches.ts'
import { batchesOf } from './batches.ts'
import { whyNotChance } from './chance.ts'
import type { CoverageSummary } from './coverage.ts'
import type { Failure, FileRun, Followed, Tally } from './reporter.ts'
import { failedFile, follow, noTally } from './reporter.ts'

export interface RunOptions {
  /** Unit test files that share a process, see batches.ts. */
  batchWeight: number
  concurrency: number
  testTimeoutMs: number
  /** False: what failed has failed. */
  triesAgain: boolean
  signal: AbortSignal
  write(line: string): void
  /** Asks Node how much of the sources ran. */
  coverage?: { include: string[]; onCoverage(summary: CoverageSummary): void }
}

/** A file that failed and then passed each time it was tried again. */
export interface Flaky {
  file: string
  /** Its first failure. */
  test: string
  text: string
}

export interface Result {
  runs: FileRun[]
  flaky: Flaky[]
  ofNoFile: Failure[]
  tally: Tally
}

const mostFlaky = 3
const tries = 3

/**
 * Runs the files in batches, and those that failed once more by themselves: a file that passes three times, alone, is
 * flaky and counts as passed. More than three failed files are no chance, and some failures never are (see chance.ts).
 */
export async function runFiles(files: readonly string[], options: RunOptions): Promise<Result> {
  const { signal, triesAgain, write } = options
  const runs: FileRun[] = []
  const ofNoFile: Failure[] = []
  const failed = () => runs.filter(({ tally }) => tally.failed > 0)
  let waiting = batchesOf(files, options.batchWeight)
  // What a process that died left undone gets another one, as long as so few die that it may be chance.
  while (waiting.length > 0) {
    const followed = await runBatches(waiting, options)
    runs.push(...followed.runs)
    ofNoFile.push(...followed.ofNoFile)
    const goesOn = triesAgain && !signal.aborted && failed().length <= mostFlaky
    if (!goesOn) runs.push(...followed.notEnded.map(notEnded))
    waiting = goesOn ? batchesOf(followed.notEnded, options.batchWeight) : []
  }
  const flaky: Flaky[] = []
  const first = triesAgain ? failed() : []
  if (first.length > mostFlaky) write(`\n${first.length} files failed: none is tried again`)
  for (const run of first.length > mostFlaky ? [] : first) {
    const why = whyNotChance(run.file, await readFile(run.file, 'utf8').catch(() => ''), run.failures)
    if (why) write(`\n${run.file} is not tried again: ${why}`)
    const passed = why || signal.aborted ? undefined : await tryAgain(run.file, options)
    if (!passed) continue
    runs[runs.indexOf(run)] = passed
    const [{ name, text } = { name: run.file, text: '' }] = run.failures
    flaky.push({ file: run.file, test: name, text })
  }
  return { runs, flaky, ofNoFile, tally: totalOf(runs, ofNoFile) }
}

/** What the last of the tries showed, if each passed. */
async function tryAgain(file: string, options: RunOptions): Promise<FileRun | undefined> {
  let last: FileRun | undefined
  for (let number = 1; number <= tries; number++) {
    options.write(`\ntrying ${file} again, alone: ${number} of ${tries}`)
    const { runs, ofNoFile } = await runBatches([[file]], { ...options, concurrency: 1 })
    last = runs.find(({ tally }) => tally.failed === 0)
    if (!last || ofNoFile.length > 0 || options.signal.aborted) return undefined
  }
  return last
}

const notEnded = (file: string): FileRun => {
  const event = failedFile(file, 'did not end: its process did before')
  const failure = { name: file, error: undefined, text: event.data.details.error.message }
  return { file, tally: { ...noTally(), failed: 1 }, failures: [failure], events: [event] }
}

function totalOf(runs: readonly FileRun[], ofNoFile: readonly Failure[]): Tally {
  const total = { ...noTally(), failed: ofNoFile.length }
  for (const { tally } of runs)
    for (const outcome of ['passed', 'failed', 'skipped'] as const) total[outcome] += tally[outcome]
  return total
}

async function runBatches(
  batches: readonly Batch[],
  { concurrency, testTimeoutMs, signal, write, coverage }: RunOptions,
): Promise<Followed> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'lanyard-batches-'))
  const entries = await writeEntries(folder.path, batches)
  const stream = run({
    execArgv: [
      ...['--import', import.meta.resolve('./cheap-context.ts')],
      // There are more processes than cores: a thread that collects garbage beside one would take a core from another.
      ...['--single-threaded-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'],
    ],
    // Not with forceExit: it ends a process before its last results are read. See batch.ts.
    files: [...entries.keys()],
    concurrency,
    timeout: testTimeoutMs,
    signal,
    ...(coverage && { coverage: true, coverageIncludeGlobs: coverage.include }),
  })
  if (coverage) stream.on('test:coverage', ({ summary }) => coverage.onCoverage(summary))
  // A stream ends when somebody reads it.
  return await follow(stream.resume(), entries, write, fileInProgress)
}

const recordOf = (entry: string) => `${entry}.file`

const fileInProgress = (entry: string): string | undefined =>
  existsSync(recordOf(entry)) ? readFileSync(recordOf(entry), 'utf8') : undefined

/** A program for each batch: the runner takes no arguments for one file alone. Its name is shown when it dies. */
async function writeEntries(folder: string, batches: readonly Batch[]): Promise<Map<string, Batch>> {
  const batch = JSON.stringify(pathToFileURL(resolve(import.meta.dirname, 'batch.ts')))
  const entries = batches.map(async (files, number): Promise<[string, Batch]> => {
    const path = join(folder, `${number}-${dirname(files[0] as string).replaceAll('/', '-')}.mjs`)
    await writeFile(
      path,
      `import { runBatch } from ${batch}\nawait runBatch(${JSON.stringify(files)}, ${JSON.stringify(recordOf(path))})\n`,
    )
    return [path, files]
  })
  return new Map(await Promise.all(entries))
}
