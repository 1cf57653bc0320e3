import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { hasPeer } from './has-peer.ts'

test('a socket has a peer until that one resets the connection, even where nobody reads', async (t) => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const accepted = once(server, 'connection')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.pause()
  await once(socket, 'connect')
  const [peer] = (await accepted) as [Socket]
  assert.ok(hasPeer(socket))
  peer.resetAndDestroy()
  await eventually('the kernel has heard of it', () => !hasPeer(socket))
})

test('a stream that has no handle to ask counts as connected', () => {
  assert.ok(hasPeer({} as Socket))
})
