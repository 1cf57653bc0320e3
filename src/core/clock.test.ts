import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { after, sleep, systemClock } from './clock.ts'

const start = new Date('2026-01-01T00:00:00Z')

/** The runtime's timers and wall clock under our hand; `tick` moves both. */
function mockTime(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: start })
  return t.mock.timers
}

test('the system clock tells the time of the machine', (t) => {
  mockTime(t)
  assert.deepEqual(systemClock.now(), start)
})

test('a timer fires once, when its time has come and not before', (t) => {
  const time = mockTime(t)
  let fired = 0
  systemClock.timer(after(start, 90_000), () => fired++)
  time.tick(89_999)
  assert.equal(fired, 0)
  time.tick(1)
  assert.equal(fired, 1)
  time.tick(500_000)
  assert.equal(fired, 1)
})

test('a timer for the past fires at the next turn, not inside the call', (t) => {
  const time = mockTime(t)
  let fired = 0
  systemClock.timer(after(start, -5_000), () => fired++)
  assert.equal(fired, 0)
  time.tick(1)
  assert.equal(fired, 1)
})

test('a disposed timer does not fire, however many stretches it has run', (t) => {
  const time = mockTime(t)
  let fired = 0
  const timer = systemClock.timer(after(start, 100_000), () => fired++)
  time.tick(70_000)
  timer[Symbol.dispose]()
  time.tick(100_000)
  assert.equal(fired, 0)
})

test('a wall clock that jumps ahead, as after a suspended night, is noticed within half a minute', (t) => {
  const time = mockTime(t)
  let fired = 0
  systemClock.timer(after(start, 3_600_000), () => fired++)
  time.tick(10_000)
  time.setTime(start.getTime() + 8 * 3_600_000)
  time.tick(30_000)
  assert.equal(fired, 1)
})

test('a wall clock that is set back delays the timer', (t) => {
  const time = mockTime(t)
  let fired = 0
  systemClock.timer(after(start, 20_000), () => fired++)
  time.setTime(start.getTime() - 60_000)
  time.tick(20_000)
  assert.equal(fired, 0)
  time.tick(60_000)
  assert.equal(fired, 1)
})

test('a timer weeks ahead does not overflow', (t) => {
  const time = mockTime(t)
  let fired = 0
  systemClock.timer(after(start, 40 * 86_400_000), () => fired++)
  time.tick(60_000)
  assert.equal(fired, 0)
})

test('a timer without a valid date is refused instead of firing at once', () => {
  assert.throws(() => systemClock.timer(new Date('never'), () => {}), RangeError)
})

test('on the real machine, the time has come whenever a timer fires', async () => {
  for (let round = 0; round < 20; round++) {
    const at = after(systemClock.now(), 2)
    await new Promise<void>((fired) => systemClock.timer(at, fired))
    assert.ok(systemClock.now() >= at)
  }
})

test('sleep ends when its time has passed', async () => {
  const clock = new FakeClock(start)
  let awake = false
  const slept = sleep(clock, 60_000).then(() => (awake = true))
  await clock.advance('59s')
  assert.equal(awake, false)
  await clock.advance('1s')
  await slept
})

test('an aborted sleep rejects with the reason and leaves no timer behind', async () => {
  const clock = new FakeClock(start)
  const stop = new AbortController()
  const slept = sleep(clock, 60_000, stop.signal)
  const reason = new Error('enough')
  stop.abort(reason)
  await assert.rejects(slept, reason)
  assert.equal(clock.nextDue, undefined)
})

test('a sleep that starts aborted never starts', async () => {
  const clock = new FakeClock(start)
  await assert.rejects(sleep(clock, 1, AbortSignal.abort(new Error('enough'))), /enough/)
  assert.equal(clock.nextDue, undefined)
})

test('a sleep that ended leaves no listener on its signal', async () => {
  const clock = new FakeClock(start)
  const { signal } = new AbortController()
  const listeners: string[] = []
  signal.addEventListener = () => listeners.push('added')
  signal.removeEventListener = () => listeners.push('removed')
  const slept = sleep(clock, 1, signal)
  await clock.advance(1)
  await slept
  assert.deepEqual(listeners, ['added', 'removed'])
})

test('a countdown counts running time: a wall clock set back does not make it late', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const wall = t.mock.method(Date, 'now', () => start.getTime())
  let fired = 0
  systemClock.countdown(60_000, () => fired++)
  t.mock.timers.tick(59_999)
  wall.mock.mockImplementation(() => start.getTime() - 3_600_000)
  assert.equal(fired, 0)
  t.mock.timers.tick(1)
  assert.equal(fired, 1)
})

test('a countdown of a year does not overflow, and can be taken back', (t) => {
  const time = mockTime(t)
  let fired = 0
  const day = 86_400_000
  const [kept, dropped] = [
    systemClock.countdown(30 * day, () => fired++),
    systemClock.countdown(30 * day, () => fired++),
  ]
  for (let i = 0; i < 29; i++) time.tick(day)
  assert.equal(fired, 0)
  dropped[Symbol.dispose]()
  time.tick(day)
  assert.equal(fired, 1)
  kept[Symbol.dispose]()
})

test('the fake clock moves countdowns by what it is advanced, not by jumps of the wall clock', async () => {
  const clock = new FakeClock()
  let fired = 0
  clock.countdown(1_000, () => fired++)
  await clock.jumpTo(after(clock.now(), 86_400_000))
  assert.equal(fired, 0)
  await clock.jumpTo(after(clock.now(), -2 * 86_400_000))
  await clock.advance(1_000)
  assert.equal(fired, 1)
})

test('what is due when the fake clock gets there fires, whatever fractions of a millisecond were counted on the way', async () => {
  // So late that its fractions are rounded.
  const began = new Date('2026-11-18T22:06:53.123Z')
  const clock = new FakeClock(began)
  const due = after(began, 299_873)
  let fired = 0
  clock.timer(due, () => fired++)
  clock.countdown(299_873, () => fired++)
  const again = () => void clock.countdown(1_234.567_89, again)
  again()
  for (let step = 0; step < 7; step++) await clock.advance(299_873 / 7)
  assert.equal(fired, 2)
  assert.deepEqual(clock.now(), due)
})

test('two advances of the fake clock at a time add up', async () => {
  const clock = new FakeClock(start)
  const inner: Promise<void>[] = []
  clock.countdown(100, () => void inner.push(clock.advance(5_000)))
  await clock.advance(1_000)
  await Promise.all(inner)
  assert.deepEqual(clock.now(), after(start, 6_000))
})
