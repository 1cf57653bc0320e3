import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tallyOf } from './tap.ts'

test('the closing counts are read, and what was cancelled has failed', () => {
  const report = 'ok 1 - a\n# tests 6\n# pass 3\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 0\n'
  assert.deepEqual(tallyOf(report), { passed: 3, failed: 2, skipped: 1 })
})

test('a report that was cut off counts as a failure', () => {
  assert.deepEqual(tallyOf('ok 1 - a\n'), { passed: 0, failed: 1, skipped: 0 })
})
