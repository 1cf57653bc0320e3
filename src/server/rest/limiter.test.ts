import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { limitHeaders, rateLimiter, windowLimiter } from './limiter.ts'

test('a bucket lets a burst through and fills at its rate', async () => {
  const clock = new FakeClock()
  const limit = rateLimiter(clock, { perMinute: 60, burst: 3 })
  assert.deepEqual(
    [1, 2, 3, 4].map(() => limit('a').isAllowed),
    [true, true, true, false],
  )
  assert.deepEqual([limit('a').retryAfterSeconds, limit('b').isAllowed], [1, true])
  await clock.advance('2s')
  assert.deepEqual(
    [1, 2, 3].map(() => limit('a').isAllowed),
    [true, true, false],
  )
  await clock.advance('1h')
  assert.equal(limit('a').remaining, 2)
})

test('a clock that is set back neither fills nor empties a bucket', async () => {
  const clock = new FakeClock()
  const limit = rateLimiter(clock, { perMinute: 60, burst: 2 })
  limit('a')
  await clock.jumpTo(new Date(clock.now().getTime() - 3_600_000))
  assert.equal(limit('a').isAllowed, true)
  assert.equal(limit('a').isAllowed, false)
})

test('a window never holds more than it may, wherever it begins', async () => {
  const clock = new FakeClock()
  const limit = windowLimiter(clock, { most: 2, windowMs: 60_000 })
  assert.equal(limit('a').isAllowed, true)
  await clock.advance('50s')
  assert.deepEqual([limit('a').isAllowed, limit('a').isAllowed, limit('a').retryAfterSeconds], [true, false, 10])
  await clock.advance('10s')
  assert.deepEqual([limit('a').isAllowed, limit('a').isAllowed, limit('a').retryAfterSeconds], [true, false, 50])
})

test('what is left is told in headers, never below nothing', () => {
  assert.deepEqual(
    limitHeaders({ isAllowed: false, limit: 100, remaining: -1, resetSeconds: 12, retryAfterSeconds: 1 }),
    {
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '12',
    },
  )
})
