import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closingComments, failuresIn, tallyOf } from './tap.ts'

test('the closing counts are read back', () => {
  const tally = { passed: 3, failed: 2, skipped: 1 }
  assert.deepEqual(tallyOf(`ok 1 - a\n# pass 9\n${closingComments(tally)}`), tally)
})

test('a report that was cut off counts as a failure', () => {
  assert.deepEqual(tallyOf('ok 1 - a\n'), { passed: 0, failed: 1, skipped: 0 })
})

test('what failed is told by name, with what it died of, and nothing that failed by it', () => {
  const report = `
# Subtest: a.test.ts
    ok 1 - fine
      ---
      duration_ms: 1
      ...
    # Subtest: R1: a name
    not ok 2 - R1: a name
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
  const tally = { passed: 1, failed: 3, skipped: 0 }
  const closed = `${report}${closingComments(tally, ['b.test.ts: no test'])}`
  assert.deepEqual(failuresIn(closed), [
    { name: 'R1: a name', words: ['error: |-', '  no', 'stack: |-', '  at b'] },
    { name: 'batch.mjs', words: [] },
    { name: 'b.test.ts: no test', words: [] },
  ])
  assert.deepEqual(tallyOf(closed), tally)
})
