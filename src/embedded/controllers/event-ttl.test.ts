import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { teardown } from '../../../test/support/test-scope.ts'
import { silentLog } from '../../core/log.ts'
import { openIn } from '../storage/testing/stores.ts'
import { eventTtl } from './event-ttl.ts'

function start(t: TestContext) {
  const clock = new FakeClock()
  const store = openIn(tempDir(t), { clock })
  teardown(t, () => store.close())
  const write = (name: string, storage = 'events') => {
    const place = { storage, namespace: 'default', name }
    const object = { apiVersion: 'v1', kind: 'Event', metadata: { name, namespace: 'default' } }
    return store.write({ ...place, follows: store.get(storage, 'default', name)?.revision ?? 0, object })
  }
  const run = () => {
    const stop = new AbortController()
    const running = eventTtl({ store, clock, log: silentLog })(stop.signal)
    teardown(t, async () => {
      stop.abort()
      await running
    })
  }
  const names = () => store.list('events').entries.map(({ name }) => name)
  /** What is left once the disk has taken what is due. */
  const left = (...expected: string[]) =>
    eventually(`${expected} are left`, () => {
      assert.deepEqual(names(), expected)
      return true
    })
  return { clock, store, write, run, names, left }
}

test('E18: an event goes an hour after it was written, and not before', async (t) => {
  const { clock, write, run, names, left } = start(t)
  run()
  await write('first')
  await clock.advance('10m')
  await write('second')
  await clock.advance(50 * 60_000 - 1)
  assert.deepEqual(names(), ['first', 'second'])
  await clock.advance(1)
  await left('second')
  await clock.advance('10m')
  await left()
})

test('E18: an event that is written again has another hour', async (t) => {
  const { clock, write, run, names, left } = start(t)
  run()
  await write('again')
  await write('once')
  await clock.advance('59m')
  await write('again')
  await clock.advance('1m')
  await left('again')
  await clock.advance('58m')
  assert.deepEqual(names(), ['again'])
  await clock.advance('1m')
  await left()
})

test('events that were there before the start count from when they were written', async (t) => {
  const { clock, write, run, left } = start(t)
  await write('old')
  await clock.advance('30m')
  await write('young')
  await clock.advance('45m')
  run()
  await clock.settle()
  await left('young')
})

test('other objects stay', async (t) => {
  const { clock, store, write, run, left } = start(t)
  run()
  await write('a', 'configmaps')
  await write('a')
  await clock.advance('2h')
  await left()
  assert.equal(store.count('configmaps'), 1)
})
