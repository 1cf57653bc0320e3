import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { Heartbeat } from './heartbeat.ts'

const options = { pingAfterMs: 30_000, pingTimeoutMs: 15_000, idleMs: 90_000 }

function aConnection(changes: Partial<typeof options> = {}) {
  const clock = new FakeClock()
  const startedAt = clock.now().getTime()
  const seen: string[] = []
  const note = (what: string) => seen.push(`${what} at ${(clock.now().getTime() - startedAt) / 1_000}`)
  const connection = { received: 0, active: 0, answers: true, connected: true }
  const heartbeat = new Heartbeat(
    clock,
    { ...options, ...changes },
    {
      received: () => connection.received,
      active: () => connection.active,
      connected: () => connection.connected,
      ping: (answered) => {
        note('ping')
        if (!connection.answers) return
        connection.received++
        answered()
      },
      onDead: () => {
        note('dead')
        heartbeat[Symbol.dispose]()
      },
      onIdle: () => {
        note('idle')
        heartbeat[Symbol.dispose]()
      },
    },
  )
  return { clock, seen, connection, heartbeat }
}

test('a silent connection in use is probed and, without an answer, is dead', async () => {
  const { clock, seen, connection } = aConnection()
  connection.active = 1
  connection.answers = false
  await clock.advance('5m')
  assert.deepEqual(seen, ['ping at 30', 'dead at 45'])
})

test('a silent connection that answers lives on', async () => {
  const { clock, seen, connection } = aConnection()
  connection.active = 1
  await clock.advance('100s')
  assert.deepEqual(seen, ['ping at 30', 'ping at 90'])
})

test('a busy connection is never probed', async () => {
  const { clock, seen, connection } = aConnection()
  connection.active = 1
  for (let second = 0; second < 120; second++) {
    connection.received++
    await clock.advance('1s')
  }
  assert.deepEqual(seen, [])
})

test('bytes count as an answer when the ping itself is stuck behind them', async () => {
  const { clock, seen, connection } = aConnection()
  connection.active = 1
  connection.answers = false
  await clock.advance('31s')
  connection.received++
  await clock.advance('20s')
  assert.deepEqual(seen, ['ping at 30'])
})

test('an unused connection is closed and not probed', async () => {
  const { clock, seen } = aConnection()
  await clock.advance('10m')
  assert.deepEqual(seen, ['idle at 90'])
})

test('idleness counts from the last use', async () => {
  const { clock, seen, connection, heartbeat } = aConnection()
  await clock.advance('80s')
  heartbeat.onRequest()
  connection.received++
  await clock.advance('80s')
  assert.deepEqual(
    seen.filter((what) => what.startsWith('idle')),
    [],
  )
  await clock.advance('60s')
  assert.equal(seen.filter((what) => what.startsWith('idle')).length, 1)
})

test('a request on a connection that was quiet probes it at once', async () => {
  const { clock, seen, connection, heartbeat } = aConnection()
  await clock.advance('40s')
  connection.active = 1
  connection.answers = false
  heartbeat.onRequest()
  await clock.advance('30s')
  assert.deepEqual(seen, ['ping at 40', 'dead at 55'])
})

test('a request given up without an answer has its connection probed at once', async () => {
  const { clock, seen, connection, heartbeat } = aConnection()
  connection.answers = false
  await clock.advance('5s')
  heartbeat.onUnanswered()
  heartbeat.onUnanswered()
  await clock.advance('30s')
  assert.deepEqual(seen, ['ping at 5', 'dead at 20'])
})

test('zero turns probing off', async () => {
  const { clock, seen, connection } = aConnection({ pingAfterMs: 0 })
  connection.active = 1
  await clock.advance('10m')
  assert.deepEqual(seen, [])
})

test('a disposed heartbeat leaves no timer', () => {
  const { clock, heartbeat } = aConnection()
  heartbeat[Symbol.dispose]()
  assert.equal(clock.nextDue, undefined)
})

test('a connection that the kernel has given up is dead at the first look, without a probe', async () => {
  const { clock, seen, connection } = aConnection()
  connection.active = 1
  connection.connected = false
  await clock.advance('5m')
  assert.deepEqual(seen, ['dead at 30'])
})

test('a request given up unanswered finds out at once whether the connection is gone', async () => {
  const { clock, seen, connection, heartbeat } = aConnection()
  connection.active = 1
  connection.connected = false
  await clock.advance('5s')
  heartbeat.onUnanswered()
  assert.deepEqual(seen, ['dead at 5'])
})
