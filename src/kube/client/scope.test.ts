import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { Scope } from './scope.ts'

const late = new Error('late')
const tenSeconds = { ms: 10_000, failure: () => late }

test('the deadline gives up the step under way and refuses the next', async () => {
  const clock = new FakeClock()
  const scope = new Scope(clock, tenSeconds)
  let givenUp = false
  const step = scope.step(() => () => {
    givenUp = true
  })
  const rejected = assert.rejects(step, late)
  await clock.advance('10s')
  await rejected
  assert.ok(givenUp)
  await assert.rejects(
    scope.step(() => () => {}),
    late,
  )
})

test('the signal ends it with its own reason, before or during a step', async () => {
  const clock = new FakeClock()
  const reason = new Error('stop')
  const stop = new AbortController()
  const step = new Scope(clock, tenSeconds, stop.signal).step(() => () => {})
  stop.abort(reason)
  await assert.rejects(step, reason)
  await assert.rejects(
    new Scope(clock, tenSeconds, stop.signal).step(() => () => {}),
    reason,
  )
})

test('a finished step is not given up later', async () => {
  const clock = new FakeClock()
  const scope = new Scope(clock, tenSeconds)
  const value = await scope.step<string>((resolve) => {
    resolve('x')
    return () => assert.fail('given up after it was done')
  })
  assert.equal(value, 'x')
  await clock.advance('11s')
})

test('disposed, it holds neither timer nor listener', () => {
  const clock = new FakeClock()
  const stop = new AbortController()
  const scope = new Scope(clock, tenSeconds, stop.signal)
  scope[Symbol.dispose]()
  assert.equal(clock.nextDue, undefined)
  stop.abort()
  assert.equal(scope.ended, false)
})

test('kept, it outlives its deadline and still hears the signal', async () => {
  const clock = new FakeClock()
  const stop = new AbortController()
  const scope = new Scope(clock, tenSeconds, stop.signal)
  const ends: unknown[] = []
  scope.keep((reason) => ends.push(reason))
  await clock.advance('1h')
  assert.deepEqual(ends, [])
  stop.abort('enough')
  assert.deepEqual(ends, ['enough'])
})

test('it knows whether a wait still fits', async () => {
  const clock = new FakeClock()
  const scope = new Scope(clock, tenSeconds)
  await clock.advance('6s')
  assert.ok(scope.allows(clock, 3_000))
  assert.ok(!scope.allows(clock, 4_000))
})
