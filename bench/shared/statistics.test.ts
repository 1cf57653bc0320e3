import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areApart, ratioOf, sampleOf } from './statistics.ts'

test('a median is the middle value, or the mean of the middle two', () => {
  assert.equal(sampleOf([9, 1, 5]).median, 5)
  assert.equal(sampleOf([9, 1, 5, 7]).median, 6)
})

test('a ratio above 1 says that ours is better, whichever way better is', () => {
  const [small, large] = [sampleOf([2]), sampleOf([6])]
  assert.equal(ratioOf(small, large, 'less'), 3)
  assert.equal(ratioOf(large, small, 'more'), 3)
  assert.equal(ratioOf(large, small, 'less'), 1 / 3)
})

test('two samples are apart when their ranges do not meet', () => {
  assert.equal(areApart(sampleOf([1, 2]), sampleOf([3, 4])), true)
  assert.equal(areApart(sampleOf([3, 4]), sampleOf([1, 2])), true)
  assert.equal(areApart(sampleOf([1, 3]), sampleOf([3, 4])), false)
})
