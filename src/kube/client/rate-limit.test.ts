import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { RateLimit } from './rate-limit.ts'

function started(clock: FakeClock, limit: RateLimit, calls: number): { at: number[]; leave: (() => void)[] } {
  const startedAt = clock.now().getTime()
  const at: number[] = []
  const leave = Array.from({ length: calls }, () => limit.take(() => at.push(clock.now().getTime() - startedAt)))
  return { at, leave }
}

test('a burst goes at once, the rest at the rate', async () => {
  const clock = new FakeClock()
  const { at } = started(clock, new RateLimit(clock, { qps: 10, burst: 3 }), 6)
  await clock.advance('1s')
  assert.deepEqual(at, [0, 0, 0, 100, 200, 300])
})

test('tokens add up in a pause, up to the burst', async () => {
  const clock = new FakeClock()
  const limit = new RateLimit(clock, { qps: 10, burst: 3 })
  started(clock, limit, 3)
  await clock.advance('1h')
  const { at } = started(clock, limit, 4)
  await clock.advance('1s')
  assert.deepEqual(at, [0, 0, 0, 100])
})

test('first come, first served: nobody overtakes a queue', async () => {
  const clock = new FakeClock()
  const limit = new RateLimit(clock, { qps: 1_000, burst: 1 })
  const order: string[] = []
  limit.take(() => order.push('a'))
  limit.take(() => order.push('b'))
  limit.take(() => order.push('c'))
  await clock.advance(1)
  assert.equal(limit.tryTake(), false)
  limit.take(() => order.push('d'))
  await clock.advance(10)
  assert.deepEqual(order, ['a', 'b', 'c', 'd'])
})

test('who leaves the queue uses no token and leaves no timer', async () => {
  const clock = new FakeClock()
  const { at, leave } = started(clock, new RateLimit(clock, { qps: 10, burst: 1 }), 3)
  leave[1]?.()
  await clock.advance(100)
  assert.deepEqual(at, [0, 100])
  const rest = started(clock, new RateLimit(clock, { qps: 10, burst: 1 }), 2)
  rest.leave[1]?.()
  assert.equal(clock.nextDue, undefined)
})

test('zero is no limit', () => {
  const clock = new FakeClock()
  const { at } = started(clock, new RateLimit(clock, { qps: 0, burst: 1 }), 1_000)
  assert.equal(at.length, 1_000)
})

test('a clock that is set back neither stalls the queue nor hands out more', async () => {
  const clock = new FakeClock()
  const limit = new RateLimit(clock, { qps: 10, burst: 1 })
  started(clock, limit, 1)
  await clock.jumpTo(new Date(clock.now().getTime() - 3_600_000))
  const { at } = started(clock, limit, 2)
  await clock.advance('1s')
  assert.deepEqual(at, [100, 200])
})

test('a rate that divides no millisecond is kept over a long run', async () => {
  const clock = new FakeClock()
  const { at } = started(clock, new RateLimit(clock, { qps: 7, burst: 1 }), 71)
  await clock.advance('10s')
  assert.equal(at.length, 71)
  assert.ok((at.at(-1) ?? 0) >= 9_990)
})

test('one that is taken ahead is missing to those who wait, and to nobody without a limit', async () => {
  const clock = new FakeClock()
  const limit = new RateLimit(clock, { qps: 10, burst: 1 })
  const { at } = started(clock, limit, 3)
  limit.takeAhead()
  await clock.advance('1s')
  assert.deepEqual(at, [0, 200, 300])
  const free = new RateLimit(clock, { qps: 0, burst: 1 })
  free.takeAhead()
  assert.equal(free.tryTake(), true)
})
