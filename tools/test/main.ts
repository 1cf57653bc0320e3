// Runs one of the four test commands. See suites.ts for what each holds and docs/testing.md for what each needs.
import { createWriteStream } from 'node:fs'
import { appendFile, glob, mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { run } from 'node:test'
import { tap } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { batchesOf } from './batches.ts'
import { prepare } from './prepare.ts'
import { follow, tallyLine } from './reporter.ts'
import type { Suite } from './suites.ts'
import { parseRequest, suites } from './suites.ts'
import { closingComments } from './tap.ts'

const root = resolve(import.meta.dirname, '../..')
process.chdir(root)

const request = parseRequest(process.argv.slice(2))
if (typeof request === 'string') {
  console.error(request)
  process.exit(2)
}
const suite: Suite = suites[request.suite]
const isWanted = (path: string) => request.only.length === 0 || request.only.some((part) => path.includes(part))
const files = (await Array.fromAsync(glob(suite.globs, { exclude: suite.except ?? [] }))).filter(isWanted).sort()
if (files.length === 0) {
  console.error(`no test file matches ${request.only.join(', ')}`)
  process.exit(1)
}

Object.assign(process.env, suite.env, { SOAK_ROUNDS: String(request.rounds) })
// Many processes start on the same sources: what one has compiled, the others need not.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/compiled')
await using _prepared = await prepare(suite).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
})
const batches = batchesOf(files, suite.batchWeight)
console.log(`${files.length} test files in ${batches.length} batches`)

// Stopped in order: what was started for all files is ended, and nothing is left behind.
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort())
await using entries = await mkdtempDisposable(join(tmpdir(), 'lanyard-batches-'))
await mkdir('reports', { recursive: true })
const stream = run({
  execArgv: [
    ...['--import', import.meta.resolve('./cheap-context.ts')],
    // There are more processes than cores: a thread that collects garbage beside one would take a core from another.
    ...['--single-threaded-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'],
  ],
  // Not with forceExit: it ends a process before its last results are read. See batch.ts.
  files: await writeEntries(entries.path),
  concurrency: Math.ceil(availableParallelism() * suite.batchesACore),
  timeout: suite.testTimeoutMs,
  signal: stop.signal,
})
// A narrowed run leaves the report of the last whole one alone.
const path = request.only.length === 0 ? `reports/${suite.report}` : `reports/partial-${suite.report}.txt`
const report = createWriteStream(path)
stream.compose(tap).pipe(report)
const { tally, unnamed } = await follow(stream, files, (line) => console.log(line))
await finished(report)
await appendFile(path, closingComments(tally, unnamed))
console.log(`\n${tallyLine(tally)}`)

const isCi = Boolean(process.env['CI'])
if (isCi && tally.skipped > 0) console.error('nothing may be skipped in CI: install what the lines above name')
const ran = tally.passed > 0 || (!isCi && tally.skipped > 0)
process.exitCode = tally.failed === 0 && ran && !(isCi && tally.skipped > 0) ? 0 : 1

/** A program for each batch: the runner takes no arguments for one file alone. Its name is shown when it dies. */
async function writeEntries(folder: string): Promise<string[]> {
  const batch = JSON.stringify(pathToFileURL(resolve(import.meta.dirname, 'batch.ts')))
  return await Promise.all(
    batches.map(async (files, number) => {
      const path = join(folder, `${number}-${dirname(files[0] as string).replaceAll('/', '-')}.mjs`)
      await writeFile(path, `import { runBatch } from ${batch}\nawait runBatch(${JSON.stringify(files)})\n`)
      return path
    }),
  )
}
