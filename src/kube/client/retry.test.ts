import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom } from '../../core/random.ts'
import type { Tries } from './retry.ts'
import { afterAnswer, afterLoss } from './retry.ts'
import { Lost } from './transport.ts'

const tries = (changes: Partial<Tries> = {}): Tries => ({
  method: 'GET',
  postponed: 0,
  lost: 0,
  mostLost: 6,
  canRefresh: false,
  ...changes,
})
const still = randomFrom(() => 0)
const sent = new Lost('gone', { sent: true })
const unsent = new Lost('refused', { sent: false })

test('429 waits as long as the server says, whatever the method', () => {
  assert.deepEqual(afterAnswer(429, '3', tries({ method: 'POST' })), { next: 'retry', afterMs: 3_000 })
})

test('429 without a usable Retry-After waits a second', () => {
  for (const header of [undefined, '', 'Wed, 21 Oct 2026 07:28:00 GMT', '-1'])
    assert.deepEqual(afterAnswer(429, header || undefined, tries()), { next: 'retry', afterMs: 1_000 }, header)
})

test('500 and 503 are repeated only where the server asks for it', () => {
  assert.deepEqual(afterAnswer(503, '2', tries({ method: 'PUT' })), { next: 'retry', afterMs: 2_000 })
  assert.deepEqual(afterAnswer(500, '0', tries()), { next: 'retry', afterMs: 0 })
  assert.deepEqual(afterAnswer(500, undefined, tries()), { next: 'accept' })
  assert.deepEqual(afterAnswer(200, '2', tries()), { next: 'accept' })
})

test('a 5xx behind which the server may have acted is repeated for reads only', () => {
  for (const status of [500, 502, 504]) {
    assert.equal(afterAnswer(status, '1', tries()).next, 'retry')
    assert.equal(afterAnswer(status, '1', tries({ method: 'POST' })).next, 'accept')
  }
})

test('the eleventh "later" is taken for an answer', () => {
  assert.equal(afterAnswer(429, '1', tries({ postponed: 9 })).next, 'retry')
  assert.equal(afterAnswer(429, '1', tries({ postponed: 10 })).next, 'accept')
})

test('401 refreshes the credentials once, where there are any', () => {
  assert.equal(afterAnswer(401, undefined, tries({ canRefresh: true })).next, 'refresh')
  assert.equal(afterAnswer(401, undefined, tries()).next, 'accept')
})

test('what was never sent is repeated for every method, what was sent for reads only', () => {
  assert.equal(afterLoss(unsent, tries({ method: 'POST' }), still).next, 'retry')
  assert.equal(afterLoss(sent, tries({ method: 'POST' }), still).next, 'give up')
  assert.equal(afterLoss(sent, tries({ method: 'GET' }), still).next, 'retry')
})

test('losses are repeated as often as allowed, after growing pauses', () => {
  const waits = Array.from({ length: 7 }, (_, lost) => afterLoss(unsent, tries({ lost }), still))
  assert.deepEqual(
    waits.map((verdict) => (verdict.next === 'retry' ? verdict.afterMs : verdict.next)),
    [50, 100, 200, 400, 800, 1_600, 'give up'],
  )
})

test('what will not change by trying again is not tried again', () => {
  assert.equal(afterLoss(new Lost('x', { sent: false, final: 'untrusted' }), tries(), still).next, 'give up')
})
