import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mostWithin } from './pace.ts'

test('the fullest stretch counts, wherever it begins', () => {
  assert.equal(mostWithin([], 1_000), 0)
  assert.equal(mostWithin([5], 1_000), 1)
  assert.equal(mostWithin([0, 999, 1_000, 1_500], 1_000), 3)
  assert.equal(mostWithin([0, 1_000, 2_000], 1_000), 1)
  assert.equal(mostWithin([7, 7, 7, 2_000], 1_000), 3)
})
