import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { turns } from './turns.ts'

test('who waits longest is next, and keys do not wait for each other', async () => {
  const line = turns({ clock: new FakeClock(), waiters: 10 })
  const first = await line.take('a', 1_000)
  const served: string[] = []
  const waiting = ['b', 'c', 'd'].map(async (name) => {
    using _turn = await line.take('a', 1_000)
    served.push(name)
  })
  assert.ok(await line.take('other', 1_000))
  first?.[Symbol.dispose]()
  await Promise.all(waiting)
  assert.deepEqual(served, ['b', 'c', 'd'])
})

test('a turn that is over is handed on and cannot be snatched', async () => {
  const line = turns({ clock: new FakeClock(), waiters: 10 })
  const first = line.tryTake('a')
  const second = line.take('a', 1_000)
  first?.[Symbol.dispose]()
  first?.[Symbol.dispose]()
  assert.equal(line.tryTake('a'), undefined)
  ;(await second)?.[Symbol.dispose]()
  assert.ok(line.tryTake('a'))
})

test('too many waiting, or too long a wait, gives nothing', async () => {
  const clock = new FakeClock()
  const line = turns({ clock, waiters: 1 })
  const first = line.tryTake('a')
  const patient = line.take('a', 1_000)
  assert.equal(await line.take('a', 1_000), undefined)
  await clock.advance(1_000)
  assert.equal(await patient, undefined)
  first?.[Symbol.dispose]()
  assert.ok(line.tryTake('a'), 'who gave up holds no place')
  assert.equal(clock.nextDue, undefined)
})

test('as many as there are places work at once', async () => {
  const line = turns({ clock: new FakeClock(), waiters: 1, places: 2 })
  assert.ok(line.tryTake('a'))
  assert.ok(line.tryTake('a'))
  assert.equal(line.tryTake('a'), undefined)
})
