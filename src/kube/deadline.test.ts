import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { deadline } from './deadline.ts'
import { pause } from './pause.ts'

const tooLate = () => new Error('too late')

test('a deadline aborts with its own reason when the time has passed', async () => {
  const clock = new FakeClock()
  using limit = deadline(clock, 1_000, tooLate)
  await clock.advance('999ms')
  assert.equal(limit.signal.aborted, false)
  await clock.advance('1ms')
  assert.match(String(limit.signal.reason), /too late/)
})

test('a deadline aborts with its parent, also with one that is over already', () => {
  const clock = new FakeClock()
  const parent = new AbortController()
  using before = deadline(clock, 1_000, tooLate, parent.signal)
  parent.abort(new Error('stopped'))
  using since = deadline(clock, 1_000, tooLate, parent.signal)
  for (const { signal } of [before, since]) assert.match(String(signal.reason), /stopped/)
})

test('a disposed deadline leaves nothing behind and never aborts', async () => {
  const clock = new FakeClock()
  const parent = new AbortController()
  const limit = deadline(clock, 1_000, tooLate, parent.signal)
  limit[Symbol.dispose]()
  assert.equal(clock.nextDue, undefined)
  parent.abort()
  assert.equal(limit.signal.aborted, false)
})

test('a pause ends with its time or with the signal, and leaves no timer', async () => {
  const clock = new FakeClock()
  const stop = new AbortController()
  const pauses = [pause(clock, 1_000, stop.signal), pause(clock, 60_000, stop.signal)]
  await clock.advance('1s')
  await pauses[0]
  stop.abort()
  await pauses[1]
  await pause(clock, 60_000, stop.signal)
  assert.equal(clock.nextDue, undefined)
})
