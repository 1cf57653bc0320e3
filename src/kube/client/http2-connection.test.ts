import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
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

/** A connection to a server that answers nothing, on a network that may be told to carry nothing any more. */
async function opened(t: TestScope) {
  const api = await startApi(t, () => {})
  const proxy = await startFaultProxy(t, api.url)
  const target = targetOf({ server: proxy.url })
  const context = secureContextOf({ ca: api.authority.caPem, certificate: undefined })
  using guard = new Guard(systemClock, 10_000)
  const dialing = { target, context, serverName: undefined, insecure: false, proxyCa: undefined, egress: undefined }
  const { socket } = await dial(dialing, [protocols.http2], guard)
  const clock = new FakeClock()
  const connection = await Http2Connection.open(
    socket,
    { lane: 'call', authority: target.authority, guard },
    { clock, settings, onFree() {}, onGone() {} },
  )
  return { clock, connection, socket, api, silence: () => proxy.halfOpen() }
}

const isOpen = ({ closed }: Socket) => !closed

test('a connection that is over does not wait for the end of a server that says nothing any more', async (t) => {
  const { clock, connection, socket, silence } = await opened(t)
  silence()
  connection.drain()
  await clock.advance('1s')
  assert.ok(isOpen(socket))
  await clock.advance('2s')
  await connection.closed
  assert.deepEqual([isOpen(socket), clock.nextDue], [false, undefined])
})

test('destroyed while it waits for that end, it is closed at once', async (t) => {
  const { clock, connection, socket, silence } = await opened(t)
  silence()
  connection.drain()
  await clock.settle()
  assert.ok(isOpen(socket))
  connection.destroy(new Lost('the client was closed', { sent: true }))
  await connection.closed
  assert.deepEqual([isOpen(socket), clock.nextDue], [false, undefined])
})

test('with a call under way that a server which leaves has not answered, it is closed at once as well', async (t) => {
  const { clock, connection, socket, api, silence } = await opened(t)
  const lost = Promise.withResolvers<Lost>()
  const receiver = { onAnswer() {}, onData() {}, onEnd() {}, onLost: lost.resolve }
  connection.send({ method: 'GET', path: '/slow', headers: {} }, receiver)
  await eventually('it is asked', () => api.asked.length === 1)
  for (const session of api.sessions) session.goaway()
  await eventually('it leaves', () => connection.isGone)
  silence()
  connection.destroy(new Lost('the client was closed', { sent: true }))
  await connection.closed
  assert.equal((await lost.promise).message, 'the client was closed')
  assert.deepEqual([isOpen(socket), clock.nextDue], [false, undefined])
})
