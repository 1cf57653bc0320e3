import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { randomFrom } from '../../core/random.ts'
import { defaultReachSettings } from './deps.ts'
import type { NextLook } from './next-look.ts'
import { nextLookMs, untilTurnMs } from './next-look.ts'
import { itFails, itWorks } from './testing/builders.ts'

const now = new Date('2026-03-01T12:00:00Z')
const settings = defaultReachSettings
const random = randomFrom(() => 0)
const next = (over: Partial<NextLook>) =>
  nextLookMs({ key: 'fleet/west', result: itWorks(), attempt: 0, now, settings, random, ...over })

describe('the turn of a cluster', () => {
  const keys = Array.from({ length: 500 }, (_, index) => `fleet/cluster-${index}`)

  test('comes once in each interval, at the same place however the hub is restarted', () => {
    for (const key of keys.slice(0, 20)) {
      const first = now.getTime() + untilTurnMs(key, 600_000, now)
      const restarted = new Date(first - 123_456)
      assert.equal(restarted.getTime() + untilTurnMs(key, 600_000, restarted), first)
      assert.equal(untilTurnMs(key, 600_000, new Date(first)), 600_000)
    }
  })

  test('is another one for each, so that a fleet is looked at evenly', () => {
    const minutes = keys.map((key) => Math.floor(untilTurnMs(key, 600_000, now) / 60_001))
    const busiest = Math.max(...Array.from({ length: 10 }, (_, at) => minutes.filter((one) => one === at).length))
    assert.ok(busiest < 90, `${busiest} of 500 in one of ten minutes`)
  })
})

test('what fails is looked at again soon, then less often, but never as seldom as what works', () => {
  const pauses = [0, 1, 2, 3, 4, 9].map((attempt) => next({ result: itFails(), attempt }))
  assert.deepEqual(pauses, [10_000, 20_000, 40_000, 80_000, 120_000, 120_000])
})

test('rights that are missing or not known are asked for again as soon', () => {
  const { permissions: _, ...unreviewed } = itWorks()
  const missing = itWorks({ permissions: [{ group: '', resource: 'namespaces', verb: 'get', isAllowed: false }] })
  for (const result of [unreviewed, missing]) assert.equal(next({ result }), 10_000)
})

test('a pause is waited for to the moment, so that the look is the trial', () => {
  assert.equal(next({ result: itFails({ pausedMs: 7_000 }), attempt: 5 }), 7_000)
})

test('after 429 it looks again when a minute is over', () => {
  const result = itWorks({ throttledAt: new Date(now.getTime() - 15_000) })
  assert.equal(next({ result, settings: { ...settings, checkIntervalMs: 86_400_000 } }), 45_000)
})
