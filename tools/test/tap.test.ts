import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestEvent } from './reporter.ts'
import type { Result } from './run-files.ts'
import { failuresIn, flakyIn, tallyOf, tapReport } from './tap.ts'

const aResult = (more: Partial<Result> = {}): Result => ({
  runs: [],
  flaky: [],
  ofNoFile: [],
  tally: { passed: 3, failed: 2, skipped: 1 },
  ...more,
})

const passed = (name: string, nesting: number): TestEvent => ({
  type: 'test:pass',
  data: { name, nesting, testNumber: 1, details: { duration_ms: 1 } },
})

test('the closing counts are read back', async () => {
  const { tally, ...rest } = aResult()
  assert.deepEqual(tallyOf(await tapReport({ ...rest, tally })), tally)
})

test('a report that was cut off counts as a failure', () => {
  assert.deepEqual(tallyOf('ok 1 - a\n'), { passed: 0, failed: 1, skipped: 0 })
})

test('files have one numbering, however many batches and tries they come from', async () => {
  const runs = ['a.test.ts', 'b.test.ts'].map((file) => ({
    file,
    tally: { passed: 1, failed: 0, skipped: 0 },
    failures: [],
    events: [passed('one', 1), passed(file, 0)],
  }))
  const lines = (await tapReport(aResult({ runs }))).split('\n').filter((line) => /ok|^1\.\./.test(line))
  assert.deepEqual(lines, ['    ok 1 - one', 'ok 1 - a.test.ts', '    ok 1 - one', 'ok 2 - b.test.ts', '1..2'])
})

test('flaky files are comments with their first failure, which is none of the report', async () => {
  const flaky = [{ file: 'a.test.ts', test: 'one', text: 'Error: no\n    at b' }]
  const report = await tapReport(aResult({ flaky }))
  assert.deepEqual([flakyIn(report), failuresIn(report)], [flaky, []])
})

test('an error of no file is a failure of the report', async () => {
  const ofNoFile = [{ name: 'the process of 1.mjs', error: undefined, text: 'ended with 7' }]
  const [failure] = failuresIn(await tapReport(aResult({ ofNoFile })))
  assert.equal(failure?.name, 'the process of 1.mjs')
  assert.match(failure?.words.join('\n') ?? '', /ended with 7/)
})

test('what failed is told by name, with what it died of, and nothing that failed by it', () => {
  const report = `
# Subtest: a.test.ts
    ok 1 - fine
      ---
      duration_ms: 1
      ...
    # Subtest: a name
    not ok 2 - a name
      ---
      failureType: 'testCodeFailure'
      error: |-
        no
      stack: |-
        at b
      ...
not ok 1 - a.test.ts
  ---
  failureType: 'subtestsFailed'
  ...
not ok 2 - batch.mjs
  ---
  exitCode: 7
  failureType: 'testCodeFailure'
  ...
`
  assert.deepEqual(failuresIn(report), [
    { name: 'a name', words: ['error: |-', '  no', 'stack: |-', '  at b'] },
    { name: 'batch.mjs', words: [] },
  ])
})
