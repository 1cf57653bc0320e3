import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { breaker } from './breaker.ts'

function scene() {
  const clock = new FakeClock()
  const states: string[] = []
  const made = breaker(clock, 30_000, (state) => states.push(state))
  const fail = (times: number) => {
    for (let at = 0; at < times; at++) {
      assert.equal(made.admit(), 0)
      made.failed()
    }
  }
  return { clock, states, breaker: made, fail }
}

test('failures count only in a row', () => {
  const { breaker, fail } = scene()
  fail(4)
  breaker.admit()
  breaker.succeeded()
  fail(4)
  assert.equal(breaker.state, 'closed')
  fail(1)
  assert.equal(breaker.state, 'open')
})

test('while it is open it tells how long', async () => {
  const { breaker, clock, fail } = scene()
  fail(5)
  await clock.advance('10s')
  assert.equal(breaker.admit(), 20_000)
})

test('one call tries; when it fails the wait begins anew, when it works all go', async () => {
  const { breaker, clock, fail, states } = scene()
  fail(5)
  await clock.advance('30s')
  assert.equal(breaker.admit(), 0)
  assert.ok(breaker.admit() > 0)
  breaker.failed()
  assert.equal(breaker.admit(), 30_000)
  await clock.advance('30s')
  assert.equal(breaker.admit(), 0)
  breaker.succeeded()
  assert.equal(breaker.admit(), 0)
  assert.deepEqual(states, ['open', 'half-open', 'open', 'half-open', 'closed'])
})

test('a try that was called off leaves the try to the next', async () => {
  const { breaker, clock, fail } = scene()
  fail(5)
  await clock.advance('30s')
  breaker.admit()
  breaker.withdrawn()
  assert.equal(breaker.admit(), 0)
})

test('a clock that is set back keeps it open no longer than once more', async () => {
  const { breaker, clock, fail } = scene()
  fail(5)
  await clock.jumpTo(new Date('2025-12-31T23:00:00Z'))
  assert.equal(breaker.admit(), 30_000)
  await clock.advance('30s')
  assert.equal(breaker.admit(), 0)
})

test('calls that were under way when it opened do not prolong it', async () => {
  const { breaker, clock, fail } = scene()
  for (let at = 0; at < 3; at++) breaker.admit()
  fail(5)
  await clock.advance('20s')
  breaker.failed()
  assert.equal(breaker.admit(), 10_000)
})
