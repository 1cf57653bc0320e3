import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { randomFrom } from '../../core/random.ts'
import { pace } from './pace.ts'

const none = randomFrom(() => 0)

function aPace() {
  const clock = new FakeClock()
  const { leftMs, written } = pace(clock, none)
  const next = (words: string) => {
    written(words)
    return leftMs(words)
  }
  return {
    clock,
    leftMs,
    some: (count: number, words = 'the same') => Array.from({ length: count }, () => next(words)),
  }
}

const unhurried = [0, 0, 0, 0, 0, 100, 200, 400]

test('a few are not held up, those that follow are, longer and longer', () => {
  const { some } = aPace()
  assert.deepEqual(some(8), unhurried)
  assert.deepEqual(some(8).slice(-2), [30_000, 30_000])
})

test('after a while without one, a few are not held up again', async () => {
  const { clock, some } = aPace()
  some(20)
  await clock.advance('60s')
  assert.deepEqual(some(1), [30_000])
  await clock.advance('61s')
  assert.deepEqual(some(8), unhurried)
})

test('news are never held up, however often they come', async () => {
  const { some } = aPace()
  for (const news of Array.from({ length: 50 }, (_, n) => `${n}`)) assert.deepEqual(some(1, news), [0])
  some(20)
  assert.deepEqual(some(1, 'something else'), [0])
})

test('what is held up is the less so the longer it waits, and news that come meanwhile are not', async () => {
  const { clock, leftMs, some } = aPace()
  some(20)
  await clock.advance('10s')
  assert.equal(leftMs('the same'), 20_000)
  assert.equal(leftMs('something else'), 0)
})

test('a clock that was set back holds nobody up', async () => {
  const { clock, some } = aPace()
  some(20)
  await clock.jumpTo(new Date(0))
  assert.deepEqual(some(8), unhurried)
})
