import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom } from '../../../core/random.ts'
import { pauseMs, retryAfterMs } from './retry-after.ts'

const now = new Date('2026-08-01T12:00:00Z')
const cases: [header: string | undefined, ms: number | undefined][] = [
  ['2', 2_000],
  [' 0 ', 0],
  ['61', 60_000],
  ['99999999999999999999', 60_000],
  ['Sat, 01 Aug 2026 12:00:30 GMT', 30_000],
  ['Sat, 01 Aug 2026 13:00:00 GMT', 60_000],
  ['Sat, 01 Aug 2026 11:00:00 GMT', 0],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
]
for (const [header, ms] of cases)
  test(`Retry-After ${header} is ${ms} ms`, () => assert.equal(retryAfterMs(header, now), ms))

test('pauses are drawn from nothing to a bound that doubles, at most 10 s', () => {
  const bounds = [0, 1, 2, 3, 10, 100].map((attempt) =>
    pauseMs(
      attempt,
      500,
      randomFrom(() => 1),
    ),
  )
  assert.deepEqual(bounds, [500, 1000, 2000, 4000, 10_000, 10_000])
  assert.equal(
    pauseMs(
      3,
      500,
      randomFrom(() => 0),
    ),
    0,
  )
})
