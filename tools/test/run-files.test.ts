import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { tempDir } from '../../test/support/temp-dir.ts'
import type { Result } from './run-files.ts'

const head = [
  `import assert from 'node:assert/strict'`,
  `import { appendFileSync, readFileSync } from 'node:fs'`,
  `import { test } from 'node:test'`,
  // How often this file was run, this time included.
  `const runs = () => { appendFileSync(import.meta.filename + '.runs', '.'); return readFileSync(import.meta.filename + '.runs').length }`,
  '',
].join('\n')
const passes = `test('fine', () => {})`
const failsFirst = `const n = runs(); test('waits', () => assert.ok(n > 1, 'too late'))`
const failsTwice = `const n = runs(); test('waits', () => assert.ok(n > 1 && n !== 3, 'too late'))`
const diesFirst = `const n = runs(); test('works', () => { if (n === 1) process.exit(7) })`
const leaksFirst = `const n = runs(); test('keeps', () => { if (n === 1) throw Object.assign(new assert.AssertionError({ message: 'seen' }), { harm: 'leaked' }) })`
const cannotLoadFirst = `if (runs() === 1) throw new Error('no such module'); ${passes}`
const hangsFirst = `const n = runs(); test('ends', (t) => new Promise((resolve) => { if (n > 1) resolve(); else t.signal.onabort = ((timer) => () => clearTimeout(timer))(setTimeout(resolve, 60_000)) }))`
const errsLate = `test('ends', () => { setTimeout(() => { throw new Error('late') }, 1) })`
const failsFirstAndErrsLate = `${failsFirst}; if (n === 1) ${errsLate}; test('goes on', () => new Promise((resolve) => setTimeout(resolve, 100)))`

/** Runs files of these contents in one batch, as a test command does. */
function runSuite(t: TestContext, contents: Readonly<Record<string, string>>, testTimeoutMs = 60_000) {
  const folder = tempDir(t)
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), head + text)
  }
  const program = `
    import { writeFileSync } from 'node:fs'
    const { runFiles } = await import(${JSON.stringify(import.meta.resolve('./run-files.ts'))})
    const { tapReport } = await import(${JSON.stringify(import.meta.resolve('./tap.ts'))})
    const result = await runFiles(${JSON.stringify(Object.keys(contents))}, {
      batchWeight: 100, concurrency: 1, testTimeoutMs: ${testTimeoutMs}, triesAgain: true,
      signal: new AbortController().signal, write: (line) => console.log(line),
    })
    writeFileSync('report', await tapReport(result))
    writeFileSync('result', JSON.stringify(result))`
  writeFileSync(join(folder, 'go.mjs'), program)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout, stderr } = spawnSync(process.execPath, ['go.mjs'], { cwd: folder, env, encoding: 'utf8' })
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  try {
    const { flaky, tally }: Result = JSON.parse(read('result'))
    const runsOf = (file: string) => read(`${file}.runs`).length
    return { flaky: flaky.map(({ file, test }) => [file, test]), tally, report: read('report'), runsOf, stdout }
  } catch (error) {
    throw new Error(`the run did not end well:\n${stdout}\n${stderr}`, { cause: error })
  }
}

test('a file that passes three times, alone, is flaky and counts as passed', (t) => {
  const { flaky, tally, report, runsOf } = runSuite(t, { 'a.test.ts': failsFirst, 'b.test.ts': passes })
  assert.deepEqual(flaky, [['a.test.ts', 'waits (a.test.ts)']])
  assert.deepEqual(tally, { passed: 2, failed: 0, skipped: 0 })
  assert.equal(runsOf('a.test.ts'), 4)
  assert.match(report, /^ {4}ok 1 - waits$/m)
  assert.doesNotMatch(report, /not ok/)
  assert.match(report, /^# lanyard flaky .*too late/m)
})

test('a file that fails once more has failed', (t) => {
  const { flaky, tally, report, runsOf } = runSuite(t, { 'a.test.ts': failsTwice, 'b.test.ts': passes })
  assert.deepEqual([flaky, tally.failed, runsOf('a.test.ts')], [[], 1, 3])
  assert.match(report, /^ {4}not ok 1 - waits$/m)
})

test('three files may be flaky; with a fourth all have failed', (t) => {
  const three = { 'a.test.ts': failsFirst, 'b.test.ts': failsFirst, 'c.test.ts': failsFirst }
  const few = runSuite(t, three)
  assert.deepEqual([few.flaky.length, few.tally], [3, { passed: 3, failed: 0, skipped: 0 }])
  const many = runSuite(t, { ...three, 'd.test.ts': failsFirst })
  assert.deepEqual([many.flaky, many.tally.failed, many.runsOf('a.test.ts')], [[], 4, 1])
})

test('a failure that is never chance counts, and what may be chance beside it is tried again', (t) => {
  const { flaky, tally, runsOf } = runSuite(t, {
    'a.test.ts': failsFirst,
    'leak.test.ts': leaksFirst,
    'store-kill.test.ts': failsFirst,
  })
  assert.deepEqual(flaky, [['a.test.ts', 'waits (a.test.ts)']])
  assert.deepEqual([tally.failed, runsOf('leak.test.ts'), runsOf('store-kill.test.ts')], [2, 1, 1])
  assert.equal(runSuite(t, { 'b.test.ts': leaksFirst }).tally.failed, 1)
})

test('a process that dies fails one file; those after it run in another', (t) => {
  const { flaky, tally, report } = runSuite(t, { 'a.test.ts': passes, 'b.test.ts': diesFirst, 'c.test.ts': passes })
  assert.deepEqual(flaky, [['b.test.ts', 'b.test.ts']])
  assert.deepEqual(tally, { passed: 3, failed: 0, skipped: 0 })
  assert.match(report, /^1\.\.3$/m)
})

test('a file that cannot be loaded, or a test that takes too long, is a failed file like others', (t) => {
  const { flaky, tally } = runSuite(t, { 'a.test.ts': cannotLoadFirst, 'b.test.ts': hangsFirst }, 2_500)
  assert.deepEqual(
    flaky.map(([file]) => file),
    ['a.test.ts', 'b.test.ts'],
  )
  assert.deepEqual(tally, { passed: 2, failed: 0, skipped: 0 })
})

test('an error that came after its test had ended fails the run, also beside a flaky test', (t) => {
  const { flaky, tally, report } = runSuite(t, { 'a.test.ts': failsFirstAndErrsLate })
  assert.deepEqual([flaky.length, tally.failed], [1, 1])
  assert.match(report, /not ok 2 - the process of[\s\S]*asynchronous activity/)
})
