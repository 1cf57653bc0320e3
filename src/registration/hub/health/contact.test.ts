import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { kubeFailure, unreachable } from '../../../../test/support/memory-kube.ts'
import { silentLog } from '../../../core/log.ts'
import type { Kube } from '../../../kube/kube.ts'
import { contact } from './contact.ts'

function scene(t: TestContext) {
  const clock = new FakeClock()
  const server: { error?: Error } = {}
  const request = async () => {
    if (server.error) throw server.error
  }
  const kube = { request, of: () => assert.fail('no object is asked for') } as unknown as Kube
  const own = contact({ kube, clock, log: silentLog })
  const start = () => {
    const ending = new AbortController()
    const over = own.run(ending.signal).catch(() => {})
    t.after(() => ending.abort())
    return async () => {
      ending.abort()
      await over
    }
  }
  return { clock, server, own, start }
}

test('it counts from the start of each run', async (t) => {
  const { clock, own, start } = scene(t)
  await clock.advance('5m')
  const stop = start()
  const startedAt = clock.now()
  await clock.advance('1h')
  assert.deepEqual([own.since(), own.regainedAt()], [startedAt, undefined])
  await stop()
  await clock.advance('1m')
  start()
  assert.deepEqual(own.since(), clock.now())
})

test('a server that is gone stops the count, and one that is back begins it anew', async (t) => {
  const { clock, server, own, start } = scene(t)
  start()
  server.error = unreachable()
  await clock.advance('1h')
  assert.deepEqual(own.since(), clock.now())
  delete server.error
  await clock.advance('10s')
  const backAt = clock.now()
  await clock.advance('1m')
  assert.deepEqual([own.since(), own.regainedAt()], [backAt, backAt])
})

test('a server without its store is gone, one that refuses is not', async (t) => {
  const { clock, server, own, start } = scene(t)
  start()
  const startedAt = clock.now()
  server.error = kubeFailure(403, 'Forbidden')
  await clock.advance('1m')
  assert.deepEqual(own.since(), startedAt)
  server.error = kubeFailure(500, 'InternalError')
  await clock.advance('1m')
  assert.deepEqual(own.since(), clock.now())
})

test('a clock that is set back does not hold up the count until it has caught up', async (t) => {
  const { clock, own, start } = scene(t)
  start()
  await clock.advance('1m')
  await clock.jumpTo(new Date(clock.now().getTime() - 7_200_000))
  const setBackTo = clock.now()
  assert.deepEqual(own.since(), setBackTo)
  await clock.advance('5m')
  assert.deepEqual(own.since(), setBackTo)
})
