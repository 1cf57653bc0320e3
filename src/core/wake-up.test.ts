import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { after } from './clock.ts'
import { wakeUp } from './wake-up.ts'

const never = new AbortController().signal

test('a sleeper wakes at its time', async () => {
  const clock = new FakeClock()
  let isAwake = false
  const waiting = wakeUp(clock)
    .wait(after(clock.now(), 1_000), never)
    .then(() => {
      isAwake = true
    })
  await clock.advance(999)
  assert.equal(isAwake, false)
  await clock.advance(1)
  await waiting
})

test('a wall clock that is set back does not prolong the sleep', async () => {
  const clock = new FakeClock()
  let isAwake = false
  const stop = new AbortController()
  const waiting = wakeUp(clock)
    .wait(after(clock.now(), 60_000), stop.signal)
    .then(() => {
      isAwake = true
    })
  await clock.jumpTo(after(clock.now(), -7_200_000))
  await clock.advance('59s')
  assert.equal(isAwake, false)
  await clock.advance('2s')
  assert.equal(isAwake, true)
  assert.equal(clock.nextDue, undefined)
  stop.abort()
  await waiting
})

test('a poke wakes it earlier and takes its timer away', async () => {
  const clock = new FakeClock()
  const wake = wakeUp(clock)
  const waiting = wake.wait(after(clock.now(), 1_000), never)
  wake.poke()
  await waiting
  assert.equal(clock.nextDue, undefined)
})

test('a poke while nobody sleeps is remembered until the next reset', async () => {
  const clock = new FakeClock()
  const wake = wakeUp(clock)
  wake.poke()
  await wake.wait(undefined, never)
  wake.reset()
  const stop = new AbortController()
  const waiting = wake.wait(undefined, stop.signal)
  stop.abort()
  await assert.rejects(waiting, { name: 'AbortError' })
})
