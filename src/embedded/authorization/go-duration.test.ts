import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseGoDuration } from './go-duration.ts'

test('durations are read as Go writes them', () => {
  const read = ['3s', '1m30s', '1.5h', '500ms', '-1s', '0', '0s', '1us']
  assert.deepEqual(read.map(parseGoDuration), [3_000, 90_000, 5_400_000, 500, -1_000, 0, 0, 0.001])
  for (const wrong of ['', 's', '3', '3x', '3s ', '-']) assert.equal(parseGoDuration(wrong), undefined, wrong)
})
