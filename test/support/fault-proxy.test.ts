import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from './eventually.ts'
import type { FaultProxy } from './fault-proxy.ts'
import { startFaultProxy } from './fault-proxy.ts'

/** Answers every chunk with itself, and ends when its client does. */
async function startEcho(t: TestContext): Promise<{ url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.pipe(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets }
}

/** A client that remembers what it got and how it ended. */
class Client {
  got = ''
  ended: string | undefined
  readonly #socket: Socket

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.setEncoding('latin1')
    this.#socket.on('data', (text) => {
      this.got += text
    })
    this.#socket.on('end', () => {
      this.ended ??= 'FIN'
    })
    this.#socket.on('error', (error: NodeJS.ErrnoException) => {
      this.ended ??= error.code
    })
  }

  say(text: string): void {
    this.#socket.write(text)
  }

  end(): void {
    this.#socket.end()
  }

  async hears(text: string): Promise<void> {
    await eventually(`hears ${text}`, () => this.got, { until: (got) => got === text, everyMs: 1 })
  }

  async ends(how: string): Promise<void> {
    await eventually(`ends by ${how}`, () => this.ended, { until: (end) => end === how, everyMs: 1 })
  }

  destroy(): void {
    this.#socket.destroy()
  }
}

async function startAll(t: TestContext) {
  const echo = await startEcho(t)
  const proxy = await startFaultProxy(t, echo.url)
  const client = () => {
    const made = new Client(proxy.port)
    t.after(() => made.destroy())
    return made
  }
  return { echo, proxy, client }
}

async function connected(client: Client): Promise<Client> {
  client.say('hello')
  await client.hears('hello')
  return client
}

const isEmpty = (proxy: FaultProxy) => eventually('no connection is left', () => proxy.connections === 0)

test('without a fault it forwards both ways and passes an orderly end on', async (t) => {
  const { echo, proxy, client } = await startAll(t)
  const one = await connected(client())
  assert.deepEqual([proxy.connections, proxy.accepted, echo.sockets.size], [1, 1, 1])
  assert.equal(proxy.url, `http://127.0.0.1:${proxy.port}`)
  one.end()
  await one.ends('FIN')
  await isEmpty(proxy)
  assert.equal(echo.sockets.size, 0)
})

test('megabytes arrive whole, with the sender held back while the receiver lags', async (t) => {
  const { client } = await startAll(t)
  const big = 'x'.repeat(20_000_000)
  const one = client()
  one.say(big)
  await eventually('all is back', () => one.got.length === big.length, { everyMs: 10 })
})

test('dropAll ends every connection on both sides and lets new ones in', async (t) => {
  const { echo, proxy, client } = await startAll(t)
  const [one, two] = [await connected(client()), await connected(client())]
  proxy.dropAll()
  await Promise.all([one.ends('FIN'), two.ends('FIN'), isEmpty(proxy)])
  await eventually('the server has seen it', () => echo.sockets.size === 0)
  await connected(client())
})

test('resetAll breaks every connection', async (t) => {
  const { echo, proxy, client } = await startAll(t)
  const one = await connected(client())
  proxy.resetAll()
  await one.ends('ECONNRESET')
  await isEmpty(proxy)
  await eventually('the server has seen it', () => echo.sockets.size === 0)
})

test('what is reset while it is being ended is closed all the same', async (t) => {
  const { echo, proxy, client } = await startAll(t)
  const one = await connected(client())
  proxy.dropAll()
  proxy.resetAll()
  await isEmpty(proxy)
  await eventually('the client has seen it', () => one.ended !== undefined)
  await eventually('the server has seen it', () => echo.sockets.size === 0)
})

test('half-open connections carry nothing and stay, new ones are accepted and stall, and all go on once healed', async (t) => {
  const { proxy, client } = await startAll(t)
  const old = await connected(client())
  proxy.halfOpen()
  const young = client()
  old.say(' again')
  young.say('first')
  await eventually('the new one is accepted', () => proxy.connections === 2)
  await delay(50)
  assert.deepEqual([old.got, young.got, old.ended, young.ended], ['hello', '', undefined, undefined])
  proxy.heal()
  await Promise.all([old.hears('hello again'), young.hears('first')])
})

test('a delay is added each way, keeps the order, and many chunks wait at the same time', async (t) => {
  const { proxy, client } = await startAll(t)
  const one = await connected(client())
  proxy.delay(500)
  const startedAt = performance.now()
  for (const letter of 'abcdefghijklmnopqrst') {
    one.say(letter)
    await delay(2)
  }
  await one.hears('helloabcdefghijklmnopqrst')
  const tookMs = performance.now() - startedAt
  assert.ok(tookMs > 998, `took ${tookMs} ms, less than both ways`)
  assert.ok(tookMs < 20 * 500, `took ${tookMs} ms, as if one chunk waited for the other`)
})

test('what a delay holds is not overtaken when it is taken away', async (t) => {
  const { proxy, client } = await startAll(t)
  const one = await connected(client())
  proxy.delay(30)
  one.say('slow')
  await delay(5)
  proxy.delay(0)
  one.say('fast')
  await one.hears('helloslowfast')
})

test('refuse breaks new connections at once and leaves open ones alone', async (t) => {
  const { proxy, client } = await startAll(t)
  const old = await connected(client())
  proxy.refuse()
  await client().ends('ECONNRESET')
  old.say('!')
  await old.hears('hello!')
  assert.equal(proxy.accepted, 1)
  proxy.heal()
  await connected(client())
})

test('cutAfterBytes ends a connection in the midst of an answer, after exactly that many bytes', async (t) => {
  const { proxy, client } = await startAll(t)
  const old = await connected(client())
  proxy.cutAfterBytes(3)
  const young = client()
  old.say('longer')
  young.say('also longer')
  await Promise.all([old.ends('FIN'), young.ends('FIN')])
  assert.deepEqual([old.got, young.got], ['hellolon', 'als'])
  proxy.heal()
  await connected(client())
})

test('a server that is down closes the connection, as no proxy can refuse after accepting', async (t) => {
  const { echo, proxy, client } = await startAll(t)
  await connected(client())
  const nowhere = await startFaultProxy(t, echo.url.replace(/\d+$/, '1'))
  const one = new Client(nowhere.port)
  await one.ends('ECONNRESET')
  assert.equal(proxy.connections, 1)
})
