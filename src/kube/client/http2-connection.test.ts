import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { startFaultProxy } from '../../../test/support/fault-proxy.ts'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { systemClock } from '../../core/clock.ts'
import { dial } from './dial.ts'
import { Guard } from './guard.ts'
import { Http2Connection } from './http2-connection.ts'
import { secureContextOf } from './identity.ts'
import { targetOf } from './target.ts'
import { startApi } from './testing/api.ts'
import { Lost, protocols } from './transport.ts'

const settings = { pingAfterMs: 30_000, pingTimeoutMs: 15_000, idleMs: 90_000 }

/** A connection that is open, on a network that then carries nothing any more. */
async function silenced(t: TestScope) {
  const api = await startApi(t, () => {})
  const proxy = await startFaultProxy(t, api.url)
  const target = targetOf({ server: proxy.url })
  const context = secureContextOf({ ca: api.authority.caPem, certificate: undefined })
  using guard = new Guard(systemClock, 10_000)
  const dialing = { target, context, serverName: undefined, insecure: false, proxyCa: undefined }
  const { socket } = await dial(dialing, [protocols.http2], guard)
  const clock = new FakeClock()
  const connection = await Http2Connection.open(
    socket,
    { lane: 'call', authority: target.authority, guard },
    { clock, settings, onFree() {}, onGone() {} },
  )
  proxy.halfOpen()
  return { clock, connection, socket }
}

const isOpen = ({ closed }: Socket) => !closed

test('a connection that is over does not wait for the end of a server that says nothing any more', async (t) => {
  const { clock, connection, socket } = await silenced(t)
  connection.drain()
  await clock.advance('1s')
  assert.ok(isOpen(socket))
  await clock.advance('2s')
  await connection.closed
  assert.deepEqual([isOpen(socket), clock.nextDue], [false, undefined])
})

test('destroyed while it waits for that end, it is closed at once', async (t) => {
  const { clock, connection, socket } = await silenced(t)
  connection.drain()
  await clock.settle()
  assert.ok(isOpen(socket))
  connection.destroy(new Lost('the client was closed', { sent: true }))
  await connection.closed
  assert.deepEqual([isOpen(socket), clock.nextDue], [false, undefined])
})
