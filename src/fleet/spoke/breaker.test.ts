import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Breaker } from './breaker.ts'
import { admit, answered, closed, givenUp, lost } from './breaker.ts'

const limits = { failures: 3, openMs: 30_000 }
/** A second apart, the last one then. */
const afterLosses = (count: number, at = 0): Breaker =>
  Array.from({ length: count }).reduce<Breaker>(
    (breaker, _, index) => lost(breaker, at - (count - 1 - index) * 1_000, limits),
    closed,
  )

test('calls are tried until so many in a row were lost', () => {
  assert.equal(admit(afterLosses(2), 0, limits).waitMs, 0)
  assert.equal(admit(afterLosses(3), 0, limits).waitMs, 30_000)
  assert.equal(admit(afterLosses(3), 29_999, limits).waitMs, 1)
})

test('calls that a broken connection takes along count as one', () => {
  const together = Array.from({ length: 10 }).reduce<Breaker>((breaker, _, at) => lost(breaker, at, limits), closed)
  assert.equal(together.failures, 1)
  assert.equal(admit(together, 10, limits).waitMs, 0)
})

test('one answer in between begins the count anew', () => {
  assert.equal(lost(answered(), 0, limits).is, 'closed')
})

test('once the pause is over one call is tried, and no other until it is known how that went', () => {
  const { next, waitMs } = admit(afterLosses(3), 30_000, limits)
  assert.deepEqual([next.is, waitMs], ['trying', 0])
  assert.equal(admit(next, 30_001, limits).waitMs, 29_999)
  assert.equal(admit(lost(next, 31_000, limits), 31_001, limits).waitMs, 29_999)
  assert.equal(admit(answered(), 31_001, limits).waitMs, 0)
})

test('a trial of which nothing is heard is followed by another', () => {
  const { next } = admit(afterLosses(3), 30_000, limits)
  assert.equal(admit(next, 60_000, limits).waitMs, 0)
})

test('a clock that is set back makes no pause longer', () => {
  let breaker = afterLosses(3, 3_600_000)
  const waits = [0, 10_000, 29_999, 30_000].map((now) => {
    const { next, waitMs } = admit(breaker, now, limits)
    breaker = next
    return waitMs
  })
  assert.deepEqual(waits, [30_000, 20_000, 1, 0])
})

test('a trial that is given up leaves the next to another call, and what was heard meanwhile stands', () => {
  const { next } = admit(afterLosses(3), 30_000, limits)
  assert.equal(admit(givenUp(next, next, 31_000), 31_000, limits).waitMs, 0)
  const again = lost(next, 30_500, limits)
  assert.equal(givenUp(again, next, 31_000), again)
  assert.equal(givenUp(closed, next, 31_000), closed)
})

const event = fc.record({ passMs: fc.nat(40_000), what: fc.constantFrom('call', 'lost', 'answered') })

test('whatever happens, nobody waits longer than the pause, and one who waited that long is let through', () => {
  fc.assert(
    fc.property(fc.array(event), (events) => {
      let now = 0
      let breaker: Breaker = closed
      for (const { passMs, what } of events) {
        now += passMs
        if (what === 'lost') breaker = lost(breaker, now, limits)
        if (what === 'answered') breaker = answered()
        if (what === 'call') breaker = admit(breaker, now, limits).next
        const { waitMs } = admit(breaker, now, limits)
        assert.ok(waitMs >= 0 && waitMs <= limits.openMs)
        assert.equal(admit(breaker, now + waitMs, limits).waitMs, 0)
      }
    }),
  )
})

test('whatever happened before, fewer losses than the limit after an answer never stop a call', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100_000), { maxLength: limits.failures - 1 }), (moments) => {
      const breaker = moments.toSorted((a, b) => a - b).reduce<Breaker>((now, at) => lost(now, at, limits), answered())
      assert.equal(admit(breaker, 0, limits).waitMs, 0)
    }),
  )
})
