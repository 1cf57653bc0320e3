import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { ConnectionLimitsDeps } from './connection-limits.ts'
import { ConnectionLimits, inNetworks } from './connection-limits.ts'

/** A server that takes whoever calls `/NAME` for NAME. */
async function scene(t: TestContext, options: Partial<ConnectionLimitsDeps> = {}) {
  const clock = new FakeClock()
  const limits = new ConnectionLimits({ clock, isProxy: () => false, ...options })
  const server = createServer(({ url = '/', socket }, answer) => {
    const isLet = url === '/' || limits.claim(socket, url)
    answer.writeHead(isLet ? 200 : 429).end()
  })
  limits.guard(server)
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, resolve))
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
    return socket
  }
  const say = async (socket: Socket, path: string): Promise<string> => {
    socket.write(`GET ${path} HTTP/1.1\r\nhost: h\r\n\r\n`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    return answer.toString().slice(9, 12)
  }
  const met = (count: number) => eventually('the server has met them', () => limits.size === count)
  return { clock, limits, open, say, met }
}

const isOpen = (socket: Socket): boolean => !socket.destroyed && !socket.readableEnded

test('F2b: however many connections come from an address without a token, those of callers who are known stay', async (t) => {
  const { open, say, met, clock } = await scene(t)
  const known = await open()
  assert.equal(await say(known, '/west'), '200')
  const strangers: Socket[] = []
  for (let n = 0; n < 400; n += 1) strangers.push(await open())
  await met(1 + 400)
  await clock.advance(4_000)
  strangers.push(await open())
  await eventually('the oldest have made room', () => strangers.slice(0, 145).every((one) => !isOpen(one)))
  await met(1 + 256)
  assert.equal(strangers.filter(isOpen).length, 256)
  assert.equal(await say(known, '/west'), '200')

  const another = await open()
  assert.equal(await say(another, '/east'), '200', 'handshakes from where a caller is known do not wait')
  await clock.advance(20_000)
  await met(2)
  assert.deepEqual(strangers.filter(isOpen).length, 0, 'nobody stays who does not say who they are')
  assert.deepEqual([await say(known, '/west'), await say(another, '/east')], ['200', '200'])
})

test('F1h: from where a caller is known, 2,000 connections at once are all let in, also after all of theirs had ended', async (t) => {
  const { open, say, met, clock } = await scene(t)
  const first = await open()
  assert.equal(await say(first, '/west'), '200')
  first.destroy()
  await met(0)
  await clock.advance(300_000)
  const many = await Promise.all(Array.from({ length: 2_000 }, () => open()))
  await met(2_000)
  assert.deepEqual(await Promise.all(many.map((socket) => say(socket, '/west'))), Array(2_000).fill('200'))
})

test('F2c: of an address where nobody is known more handshakes than it has at once take turns, the newest first, until a caller is', async (t) => {
  const { open, say, met, clock } = await scene(t)
  for (let n = 0; n < 400; n += 1) await open()
  await met(256)
  const later: Socket[] = []
  for (let n = 0; n < 20; n += 1) later.push(await open())
  const answers = later.map((socket) => say(socket, '/east'))
  await met(256)
  await clock.advance(20)
  assert.equal(await answers.at(-1), '200')
  await clock.advance(20)
  assert.deepEqual(await Promise.all(answers), Array(20).fill('200'))
})

test('a caller has so many connections and no more, and may have another where one has ended', async (t) => {
  const { open, say, met } = await scene(t, { most: 20 })
  let last: Socket | undefined
  for (let n = 0; n < 20; n += 1) {
    last = await open()
    assert.equal(await say(last, '/west'), '200')
  }
  const more = await open()
  assert.deepEqual([await say(more, '/west'), await say(more, '/east')], ['429', '200'])
  last?.destroy()
  await met(20)
  assert.equal(await say(more, '/west'), '200')
})

test('connections of a proxy are not those of one caller', async (t) => {
  const { open, say, met } = await scene(t, { isProxy: inNetworks(['127.0.0.1']) })
  const all: Socket[] = []
  for (let n = 0; n < 400; n += 1) all.push(await open())
  await met(400)
  assert.ok(all.every(isOpen))
  assert.equal(await say(all[0] as Socket, '/'), '200')
})

test('networks are addresses and ranges of them', () => {
  const is = inNetworks(['10.0.0.0/8', '192.0.2.7', 'fd00::/8', '::1'])
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.7', 'fd12::1', '::1']) assert.ok(is(address), address)
  for (const address of ['11.0.0.1', '192.0.2.8', 'fe80::1', '']) assert.equal(is(address), false, address)
  assert.equal(inNetworks([' ', '999.1.1.1/8'])('127.0.0.1'), false)
})
