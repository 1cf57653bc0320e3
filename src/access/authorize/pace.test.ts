import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { defaultAccessSettings } from '../settings.ts'
import { Pace } from './pace.ts'

function scene(reviewsPerSecond = 100) {
  const clock = new FakeClock()
  const settings = { ...defaultAccessSettings, limits: { ...defaultAccessSettings.limits, reviewsPerSecond } }
  const pace = new Pace({ clock, settings: () => settings })
  /** How many are let through at once. */
  const atOnce = (cluster: string): number => {
    for (let count = 0; ; count += 1) if (pace.take(cluster) !== 0) return count
  }
  return { clock, settings, pace, atOnce }
}

test('after a pause half of what a second has at once, and then one after the other', () => {
  const { pace, atOnce } = scene()
  assert.equal(atOnce('west'), 51, 'the last of them at the very moment')
  assert.equal(pace.take('west'), 20, 'after the one that found out')
  assert.equal(pace.take('west'), 30)
  assert.equal(pace.take('east'), 0, 'another cluster is not concerned')
})

test('on average no more than the rate, however long it goes on', async () => {
  const { clock, pace, atOnce } = scene()
  atOnce('west')
  await clock.advance('250ms')
  assert.ok(Math.abs(atOnce('west') - 24) <= 1)
  await clock.advance('1h')
  assert.equal(atOnce('west'), 51, 'a pause gives no more than the burst')
  let through = 0
  for (let step = 0; step < 100; step += 1) {
    await clock.advance(100)
    for (let n = 0; n < 50; n += 1) if (pace.take('west') !== undefined) through += 1
  }
  assert.ok(through <= 1_000 + 75 + 1, `${through} in ten seconds`)
})

test('nobody waits for longer than half of the whole deadline, and those who would take no turn', async () => {
  const { clock, pace, atOnce } = scene()
  atOnce('west')
  const waits: number[] = []
  for (let wait = pace.take('west'); wait !== undefined; wait = pace.take('west')) waits.push(wait)
  assert.equal(waits.at(-1), 750)
  for (let n = 0; n < 10_000; n += 1) assert.equal(pace.take('west'), undefined)
  await clock.advance(10)
  assert.equal(pace.take('west'), 750, 'no turn was lost to those who were sent away')
})

test('only so many of one cluster wait at the same time', () => {
  const { pace, atOnce } = scene(10_000)
  atOnce('west')
  let waiting = 1
  while (pace.take('west') !== undefined) waiting += 1
  assert.equal(waiting, 600)
  pace.passed('west')
  assert.notEqual(pace.take('west'), undefined)
  assert.equal(pace.take('west'), undefined)
})

test('a clock that is set back, a lower rate, or another deadline locks nobody out', async () => {
  const { clock, settings, pace, atOnce } = scene()
  atOnce('west')
  await clock.jumpTo(new Date(clock.now().getTime() - 3_600_000))
  assert.equal(pace.take('west'), 0)
  atOnce('west')
  settings.limits = { ...settings.limits, reviewsPerSecond: 1 }
  assert.ok((pace.take('west') ?? 0) <= 750)
  await clock.advance('3s')
  assert.equal(pace.take('west'), 0)
})

test('a cluster that is gone is forgotten, and who still waited for it is no debt of the next', () => {
  const { pace, atOnce } = scene()
  atOnce('west')
  pace.forget('west')
  pace.passed('west')
  assert.equal(atOnce('west'), 51)
})
