import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tallyComment, tallyOf } from './tap.ts'

test('the closing counts are read back', () => {
  const tally = { passed: 3, failed: 2, skipped: 1 }
  assert.deepEqual(tallyOf(`ok 1 - a\n# pass 9\n${tallyComment(tally)}`), tally)
})

test('a report that was cut off counts as a failure', () => {
  assert.deepEqual(tallyOf('ok 1 - a\n'), { passed: 0, failed: 1, skipped: 0 })
})
