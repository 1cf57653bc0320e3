import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { SpokeSettings } from './contract.ts'
import { defaultSpokeSettings } from './contract.ts'
import { SpokeGuard } from './guard.ts'

const server = 'https://west.example.com'

function guarded() {
  const clock = new FakeClock()
  const settings: SpokeSettings = { ...defaultSpokeSettings }
  const guard = new SpokeGuard(server, { clock, settings: () => settings })
  /** One a second. */
  const lose = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      await clock.advance('1s')
      guard.note({ code: 0 })
    }
  }
  return { clock, settings, guard, lose }
}

test('after several tries without an answer calls are refused for a while, and it is said how long', async () => {
  const { clock, guard, lose } = guarded()
  await lose(3)
  assert.equal(guard.isOpen, true)
  await clock.advance('10s')
  assert.throws(() => guard.admit(), {
    code: 'SPOKE_PAUSED',
    message: `the API server ${server} failed 3 times in a row; it is tried again in 20 seconds`,
  })
  await clock.advance('20s')
  guard.admit()
  assert.throws(() => guard.admit(), { code: 'SPOKE_PAUSED' })
  guard.note({ code: 403 })
  guard.admit()
  assert.equal(guard.isOpen, false)
})

test('a server that answers, or that is not trusted, is no reason to pause', () => {
  const { guard } = guarded()
  for (const sample of [{ code: 500 }, { code: 0, final: 'untrusted' as const }])
    for (let time = 0; time < 10; time += 1) guard.note(sample)
  guard.admit()
})

test('a trial that meets a server which is not trusted, or a proxy that refuses, ends the pause', async () => {
  for (const final of ['untrusted', 'refused'] as const) {
    const { clock, guard, lose } = guarded()
    await lose(3)
    await clock.advance('30s')
    guard.admit()
    guard.note({ code: 0, final })
    guard.admit()
    assert.equal(guard.isOpen, false)
  }
})

test('a trial that is given up makes way for the next call', async () => {
  const { clock, guard, lose } = guarded()
  await lose(3)
  await clock.advance('30s')
  const over = guard.admit()
  assert.throws(() => guard.admit(), { code: 'SPOKE_PAUSED' })
  over?.()
  guard.admit()
  // What the first one says now is no longer asked for.
  over?.()
  assert.throws(() => guard.admit(), { code: 'SPOKE_PAUSED' })
})

test('switched off, nothing is ever refused', async () => {
  const { guard, settings, lose } = guarded()
  settings.breaker = undefined
  await lose(10)
  guard.admit()
  settings.breaker = { failures: 1, openMs: 1_000 }
  await lose(1)
  assert.throws(() => guard.admit(), { code: 'SPOKE_PAUSED' })
  settings.breaker = undefined
  guard.admit()
})

test('the last 429 is remembered', async () => {
  const { clock, guard } = guarded()
  assert.equal(guard.throttledAt, undefined)
  guard.note({ code: 429 })
  const then = clock.now()
  await clock.advance('5s')
  guard.note({ code: 200 })
  assert.deepEqual(guard.throttledAt, then)
})
