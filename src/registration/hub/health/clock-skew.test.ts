import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWorthTelling, reportSkew } from './clock-skew.ts'

test('clocks that differ by less than a grace agree', () => {
  for (const skewMs of [0, 49_999, -49_999]) assert.equal(reportSkew(skewMs, 50_000).status, 'True')
})

test('others are told with number and direction, and what to do', () => {
  const behind = reportSkew(50_000, 50_000)
  assert.equal(behind.status, 'False')
  assert.match(behind.message, /is 50 seconds behind the hub's\. Set the time of its nodes right/)
  assert.match(reportSkew(-3_600_400, 50_000).message, /is 3600 seconds ahead of the hub's/)
})

test('a number is told again when it is another one to people', () => {
  assert.equal(isWorthTelling(60_000, undefined, 50_000), true)
  assert.equal(isWorthTelling(60_000, 84_000, 50_000), false)
  assert.equal(isWorthTelling(60_000, 85_000, 50_000), true)
  assert.equal(isWorthTelling(-60_000, 60_000, 50_000), true)
})
