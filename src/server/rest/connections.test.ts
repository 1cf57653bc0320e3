import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { Connections } from './connections.ts'

/** A server that keeps connections for good, and a client of it that keeps its own. */
async function scene(t: TestContext, request = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n') {
  const server = createServer({ keepAliveTimeout: 0 })
  const connections = new Connections(server)
  t.after(() => connections.endAll())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const text = Array.fromAsync(socket.setEncoding('utf8')).then((chunks) => chunks.join(''))
  const ask = async (): Promise<ServerResponse> => {
    const asked = once(server, 'request')
    socket.write(request)
    return (await asked)[1]
  }
  const stop = () => {
    const closed = once(server, 'close')
    server.close()
    connections.endUnused()
    return closed
  }
  return { connections, ask, stop, text }
}

test('an answer of which the head is out ends its connection, once all of it is', async (t) => {
  const { ask, stop, text } = await scene(t)
  const answer = await ask()
  answer.writeHead(200, { 'content-length': 8 }).write('half')
  const closed = stop()
  answer.end('half')
  assert.match(await text, /connection: keep-alive\r\n\r\nhalfhalf$/i)
  await closed
})

test('two that were asked in a row on one connection are both answered, and the second says that it ends', async (t) => {
  const { ask, stop, text } = await scene(t)
  const answers = [await ask(), await ask()]
  const closed = stop()
  for (const answer of answers) answer.end('ok')
  assert.deepEqual((await text).match(/connection: [a-z-]+/gi), ['Connection: keep-alive', 'connection: close'])
  await closed
})

test('what is asked once it is to stop is answered, and says that its connection ends', async (t) => {
  const { connections, ask, text } = await scene(t)
  const first = await ask()
  first.end('ok')
  await once(first, 'close')
  connections.endUnused()
  const last = await ask()
  last.end('ok')
  assert.deepEqual((await text).match(/connection: [a-z-]+/gi), ['Connection: keep-alive', 'connection: close'])
})

test('a body that nobody reads holds nothing up', async (t) => {
  const { ask, stop } = await scene(t, 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nbegun')
  const answer = await ask()
  answer.end('ok')
  await once(answer, 'close')
  await stop()
})
