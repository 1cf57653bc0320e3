import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Pass } from './pass.ts'
import { randomFrom } from './random.ts'
import { reasons } from './reasons.ts'
import { defaultWindow, isDue, isExpired, renewalOf } from './renewal.ts'

const aPass = (issuedAt: Date, expiresAt?: Date, renewAt?: Date): Pass => ({
  id: 'check/a',
  kind: 'check',
  holder: 'a',
  issuer: 'b',
  issuedAt,
  ...(expiresAt && { expiresAt }),
  ...(renewAt && { renewAt }),
  keptIn: 'memory',
  fingerprint: 'f',
  state: reasons.PassIssued,
})

const now = new Date('2026-01-01T00:00:00Z')
const at = (ms: number) => new Date(now.getTime() + ms)

test('a pass without an end is not renewed', () => {
  assert.equal(
    renewalOf(
      aPass(now),
      now,
      defaultWindow,
      randomFrom(() => 0.5),
    ),
    undefined,
  )
})

test('the draw spreads renewals over the window', () => {
  const renewAt = (fraction: number) =>
    renewalOf(
      aPass(now, at(1_000_000)),
      now,
      defaultWindow,
      randomFrom(() => fraction),
    )
  assert.deepEqual(renewAt(0), at(750_000))
  assert.deepEqual(renewAt(1), at(800_000))
})

test('whatever the dates, a renewal is after half of what was left and before the end', () => {
  const ms = fc.integer({ min: -10_000_000, max: 10_000_000 })
  fc.assert(
    fc.property(
      ms,
      fc.integer({ min: 1, max: 10_000_000 }),
      fc.option(ms),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (issued, left, proposed, fraction) => {
        const pass = aPass(
          at(Math.min(issued, left)),
          at(left),
          proposed === null ? undefined : at(Math.min(proposed, left)),
        )
        const renewAt = Number(
          renewalOf(
            pass,
            now,
            defaultWindow,
            randomFrom(() => fraction),
          ),
        )
        assert.ok(renewAt >= now.getTime() + left / 2 - 1)
        assert.ok(renewAt <= now.getTime() + left)
      },
    ),
  )
})

test('due and expired begin at their very moment', () => {
  const pass = aPass(now, at(10), at(5))
  assert.deepEqual([isDue(pass, at(4)), isDue(pass, at(5))], [false, true])
  assert.deepEqual([isExpired(pass, at(9)), isExpired(pass, at(10))], [false, true])
})
