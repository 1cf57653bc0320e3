// Runs one of the four test commands. See suites.ts for what each holds and docs/testing.md for what each needs.
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { batchesOf } from './batches.ts'
import type { CoverageSummary, Source } from './coverage.ts'
import { coverageTable, sourceOf } from './coverage.ts'
import { prepare } from './prepare.ts'
import { tallyLine } from './reporter.ts'
import { flakyLines, writeFlaky } from './reports.ts'
import { runFiles } from './run-files.ts'
import type { Suite } from './suites.ts'
import { parseRequest, suites } from './suites.ts'
import { tapReport } from './tap.ts'

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
await using _prepared = await prepare(suite, { bundles: !request.coverage }).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
})
const batchCount = batchesOf(files, suite.batchWeight).length
console.log(`${files.length} test files in ${batchCount} batches`)

// Stopped in order: what was started for all files is ended, and nothing is left behind.
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort())
await mkdir('reports', { recursive: true })
// A narrowed run leaves the report of the last whole one alone, and a whole one that is cut off leaves a report without a tally.
const isWhole = request.only.length === 0 && !request.coverage
const path = isWhole ? `reports/${suite.report}` : `reports/partial-${suite.report}.txt`
await writeFile(path, '')
let coverage: CoverageSummary | undefined
const result = await runFiles(files, {
  batchWeight: suite.batchWeight,
  concurrency: Math.ceil(availableParallelism() * suite.batchesACore),
  testTimeoutMs: suite.testTimeoutMs,
  triesAgain: suite.triesAgain && !request.coverage,
  signal: stop.signal,
  write: (line) => console.log(line),
  ...(request.coverage && {
    coverage: { include: ['src/**'], onCoverage: (summary: CoverageSummary) => (coverage = summary) },
  }),
})
await writeFile(path, await tapReport(result))
if (isWhole) await writeFlaky()
if (coverage) console.log(['', ...coverageTable(coverage, await sources())].join('\n'))
const { tally, flaky } = result
for (const line of flakyLines(flaky)) console.log(line)
console.log(`\n${tallyLine(tally)}`)

const isCi = Boolean(process.env['CI'])
if (isCi && tally.skipped > 0) console.error('nothing may be skipped in CI: install what the lines above name')
const ran = tally.passed > 0 || (!isCi && tally.skipped > 0)
process.exitCode = tally.failed === 0 && ran && !(isCi && tally.skipped > 0) ? 0 : 1

/** Those that the request is about, without tests. */
async function sources(): Promise<Source[]> {
  const paths = await Array.fromAsync(glob('src/**/*.ts', { exclude: ['**/*.test.ts'] }))
  const read = paths.filter(isWanted).map(async (path) => sourceOf(path, await readFile(path, 'utf8')))
  return (await Promise.all(read)).filter((source) => source !== undefined)
}
