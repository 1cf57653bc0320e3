import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { backoffMs } from './backoff.ts'
import { randomFrom } from './random.ts'

const noJitter = randomFrom(() => 0)
const options = { baseMs: 100, maxMs: 5_000 }

test('waits double from the base until the longest wait', () => {
  const waits = [0, 1, 2, 3, 4, 5, 6, 1_000].map((attempt) => backoffMs(attempt, options, noJitter))
  assert.deepEqual(waits, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000])
})

test('factor and jitter can be chosen', () => {
  assert.equal(backoffMs(2, { ...options, factor: 3 }, noJitter), 900)
  assert.equal(
    backoffMs(
      0,
      { ...options, jitter: 0.5 },
      randomFrom(() => 0.5),
    ),
    75,
  )
  assert.equal(
    backoffMs(
      0,
      { ...options, jitter: 0 },
      randomFrom(() => 0.99),
    ),
    100,
  )
})

test('jitter only ever shortens a wait, by its share at most', () => {
  const inputs = [
    fc.nat(),
    fc.integer({ min: 1, max: 10_000 }),
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  ] as const
  fc.assert(
    fc.property(...inputs, (attempt, baseMs, fraction) => {
      const settings = { baseMs, maxMs: 60_000 }
      const full = backoffMs(attempt, settings, noJitter)
      const wait = backoffMs(
        attempt,
        settings,
        randomFrom(() => fraction),
      )
      assert.ok(wait <= full && wait >= Math.floor(full * 0.8), `${wait} of ${full}`)
    }),
  )
})
