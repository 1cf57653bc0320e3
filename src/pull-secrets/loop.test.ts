import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { silentLog } from '../core/log.ts'
import { bell, runLoop } from './loop.ts'

test('a ring ends the pause, and one that comes during a tick has another follow', async () => {
  const clock = new FakeClock()
  const due = bell()
  const end = new AbortController()
  let ticks = 0
  const tick = async () => {
    ticks += 1
    if (ticks === 2) due.ring()
    if (ticks === 5) throw new Error('no')
  }
  const running = runLoop({ name: 'rotation', everyMs: 60_000, tick, bell: due }, { clock, log: silentLog })(end.signal)
  await clock.settle()
  assert.equal(ticks, 1)
  due.ring()
  await clock.settle()
  assert.equal(ticks, 3)
  await clock.advance('59s')
  assert.equal(ticks, 3)
  await clock.advance('1s')
  assert.equal(ticks, 4)
  // One that fails is followed as well.
  due.ring()
  await clock.settle()
  due.ring()
  await clock.settle()
  assert.equal(ticks, 6)
  end.abort()
  await running
})
