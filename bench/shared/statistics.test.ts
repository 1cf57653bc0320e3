import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areApart, quantile, ratioOf, sampleOf } from './statistics.ts'

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

test('a quantile is a value that was measured', () => {
  const values = Array.from({ length: 200 }, (_, index) => 200 - index)
  assert.equal(quantile(values, 0.99), 198)
  assert.equal(quantile(values, 1), 200)
  assert.equal(quantile([7], 0.5), 7)
})
