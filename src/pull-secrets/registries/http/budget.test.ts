import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import type { Priority } from './budget.ts'
import { budget } from './budget.ts'

const forever = new AbortController().signal
const patient = 1_000_000

function scene(rate = { rps: 2, burst: 5 }) {
  const clock = new FakeClock()
  const made = budget(clock, rate)
  const startedAt = clock.now().getTime()
  const log: { who: string; atMs: number }[] = []
  const take = async (who: string, priority: Priority = 'request', signal = forever) => {
    const waitMs = await made.take(priority, patient, signal)
    if (waitMs === 0) log.push({ who, atMs: clock.now().getTime() - startedAt })
    return waitMs
  }
  return { clock, budget: made, take, log }
}

test('a burst goes at once, the rest at the rate', async () => {
  const { clock, take, log } = scene()
  for (let at = 0; at < 8; at++) void take(String(at))
  await clock.advance('10s')
  assert.deepEqual(
    log.map(({ atMs }) => atMs),
    [0, 0, 0, 0, 0, 500, 1000, 1500],
  )
})

test('requests go before what runs in the background', async () => {
  const { clock, take, log } = scene({ rps: 1, burst: 1 })
  void take('first')
  void take('pool 1', 'background')
  void take('pool 2', 'background')
  void take('request 1')
  await clock.advance('1s')
  void take('request 2')
  await clock.advance('10s')
  assert.deepEqual(
    log.map(({ who }) => who),
    ['first', 'request 1', 'request 2', 'pool 1', 'pool 2'],
  )
})

test('whoever would wait longer than it cares to is told how long, and takes nothing', async () => {
  const { clock, budget, take, log } = scene({ rps: 1, burst: 1 })
  await take('first')
  assert.equal(await budget.take('request', 500, forever), 1000)
  void take('second')
  await clock.advance('1s')
  assert.deepEqual(
    log.map(({ who, atMs }) => [who, atMs]),
    [
      ['first', 0],
      ['second', 1000],
    ],
  )
})

test('whoever is overtaken for longer than it cares to wait is told so', async () => {
  const { clock, budget, take } = scene({ rps: 1, burst: 1 })
  await take('first')
  const waiting = budget.take('background', 1_500, forever)
  for (let at = 0; at < 5; at++) void take('overtakes')
  await clock.advance('2s')
  assert.ok((await waiting) > 0)
})

test('nobody calls while the registry has asked for a rest', async () => {
  const { clock, budget, take, log } = scene()
  budget.holdOff(3_000)
  void take('first')
  await clock.advance('2999ms')
  assert.equal(log.length, 0)
  await clock.advance('1ms')
  assert.equal(log.length, 1)
})

test('a rest that is asked for while somebody waits counts for those who wait', async () => {
  const { clock, budget, take, log } = scene({ rps: 1, burst: 1 })
  await take('first')
  void take('second')
  budget.holdOff(5_000)
  await clock.advance('4s')
  assert.equal(log.length, 1)
  await clock.advance('1s')
  assert.equal(log.length, 2)
})

test('whoever calls off leaves its place to the next', async () => {
  const { clock, take, log } = scene({ rps: 1, burst: 1 })
  const off = new AbortController()
  await take('first')
  const second = take('second', 'request', off.signal)
  void take('third')
  off.abort(new Error('off'))
  await assert.rejects(second, { message: 'off' })
  await clock.advance('1s')
  assert.deepEqual(log.at(-1), { who: 'third', atMs: 1000 })
})

test('a clock that is set back gives nothing and takes nothing', async () => {
  const { clock, take, log } = scene({ rps: 1, burst: 1 })
  await take('first')
  await clock.jumpTo(new Date('2025-01-01'))
  void take('second')
  await clock.advance('1s')
  assert.equal(log.length, 2)
})

test('a clock that is set back prolongs a rest no longer than once more', async () => {
  const { clock, budget, take, log } = scene()
  budget.holdOff(3_000)
  await clock.jumpTo(new Date('2025-12-31T23:00:00Z'))
  void take('first')
  await clock.advance('3s')
  assert.equal(log.length, 1)
})

test('in no stretch of time are there more calls than the burst and the rate allow', async () => {
  const asks = fc.array(fc.record({ afterMs: fc.integer({ min: 0, max: 700 }), isPool: fc.boolean() }), {
    maxLength: 40,
  })
  await fc.assert(
    fc.asyncProperty(asks, fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 5 }), async (all, burst, rps) => {
      const { clock, take, log } = scene({ rps, burst })
      for (const { afterMs, isPool } of all) {
        await clock.advance(afterMs)
        void take('one', isPool ? 'background' : 'request')
      }
      await clock.advance('60s')
      assert.equal(log.length, all.length)
      for (const [from, { atMs: start }] of log.entries())
        for (const [to, { atMs: end }] of log.entries())
          if (to >= from) assert.ok(to - from + 1 <= burst + ((end - start) / 1000) * rps + 1e-6)
    }),
    { numRuns: 25 },
  )
})
