// Runs one of the four test commands. See suites.ts for what each holds and docs/testing.md for what each needs.
import { createWriteStream } from 'node:fs'
import { appendFile, glob, mkdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { run } from 'node:test'
import { tap } from 'node:test/reporters'
import { prepare } from './prepare.ts'
import { follow, tallyLine } from './reporter.ts'
import type { Suite } from './suites.ts'
import { parseRequest, suites } from './suites.ts'
import { tallyComment } from './tap.ts'

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
// Hundreds of processes start on the same sources: what one has compiled, the others need not.
process.env['NODE_COMPILE_CACHE'] ??= resolve(import.meta.dirname, '../../node_modules/.cache/compiled')
await using _prepared = await prepare(suite).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
})
console.log(`${files.length} test files`)

await mkdir('reports', { recursive: true })
const stream = run({
  // Not --test-force-exit: it ends a process before its last results are read.
  execArgv: ['--import', resolve(import.meta.dirname, 'end-in-time.ts')],
  files: files.map((file) => resolve(file)),
  concurrency: suite.concurrency ?? Math.max(2, availableParallelism()),
  timeout: suite.testTimeoutMs,
})
// A narrowed run leaves the report of the last whole one alone.
const path = request.only.length === 0 ? `reports/${suite.report}` : `reports/partial-${suite.report}.txt`
const report = createWriteStream(path)
stream.compose(tap).pipe(report)
const tally = await follow(stream, (line) => console.log(line))
await finished(report)
await appendFile(path, tallyComment(tally))
console.log(`\n${tallyLine(tally)}`)

const isCi = Boolean(process.env['CI'])
if (isCi && tally.skipped > 0) console.error('nothing may be skipped in CI: install what the lines above name')
const ran = tally.passed > 0 || (!isCi && tally.skipped > 0)
process.exitCode = tally.failed === 0 && ran && !(isCi && tally.skipped > 0) ? 0 : 1
