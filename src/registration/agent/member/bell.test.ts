import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { bell } from './bell.ts'

const { signal } = new AbortController()

test('a ring while nobody sleeps is remembered until it is reset', async () => {
  const clock = new FakeClock()
  const own = bell(clock)
  own.ring()
  await own.wait(undefined, signal)
  own.reset()
  let isOver = false
  void own.wait(1_000, signal).then(() => {
    isOver = true
  })
  await clock.advance(999)
  assert.equal(isOver, false)
  await clock.advance(1)
  assert.equal(isOver, true)
})

test('what comes in a burst wakes once', async () => {
  const clock = new FakeClock()
  const own = bell(clock)
  let wakes = 0
  const look = async () => {
    for (;;) {
      own.reset()
      await own.wait(undefined, signal)
      wakes += 1
    }
  }
  void look()
  for (let times = 0; times < 10; times += 1) own.ringWithin(500)
  await clock.advance(499)
  assert.equal(wakes, 0)
  await clock.advance(1)
  assert.equal(wakes, 1)
  own.ringWithin(500)
  own.ring()
  await clock.advance(1_000)
  assert.equal(wakes, 2)
})

test('the signal ends the sleep and leaves no timer', async () => {
  const clock = new FakeClock()
  const own = bell(clock)
  const stop = new AbortController()
  own.ringWithin(5_000)
  const sleep = own.wait(1_000, stop.signal)
  stop.abort(new Error('stop'))
  await assert.rejects(sleep, /stop/)
  await assert.rejects(own.wait(1_000, stop.signal), /stop/)
  assert.equal(clock.nextDue, undefined)
})
