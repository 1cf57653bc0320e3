import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { silentLog } from '../../core/log.ts'
import type { Answer } from '../requests/answer.ts'
import type { Frame } from '../watch/frame.ts'
import type { Sink } from '../watch/watch.ts'
import type { ExchangeDeps } from './exchange.ts'
import { exchange } from './exchange.ts'
import { Load } from './load.ts'

const user = { name: 'a', groups: [] }
const request = (method = 'GET') =>
  Object.assign(new EventEmitter(), {
    url: '/api/v1/configmaps',
    method,
    httpVersion: '2.0',
    headers: {},
    rawHeaders: [],
    socket: {},
    complete: true,
    resume() {},
  }) as unknown as Http2ServerRequest

/** A response that takes everything, and keeps it. */
class Received extends EventEmitter {
  readonly lines: string[] = []
  code = 0
  headers: Record<string, unknown> = {}
  writableLength = 0
  writeHead(code: number, headers: Record<string, unknown>) {
    this.code = code
    this.headers = headers
  }
  flushHeaders() {}
  write(bytes: Buffer) {
    this.lines.push(bytes.toString())
  }
  end(bytes?: Buffer) {
    if (bytes) this.write(bytes)
  }
}

const depsWith = (route: ExchangeDeps['route'], clock = new FakeClock()): ExchangeDeps => ({
  authenticator: { authenticate: async () => user },
  authorizer: { authorize: async () => ({ verdict: 'allow' as const, reason: '' }) },
  impersonate: async () => user,
  log: silentLog,
  clock,
  watches: new Set<Disposable>(),
  load: new Load(),
  route,
})

const answered = async (answer: Answer, warnings: string[] = []): Promise<Received> => {
  const received = new Received()
  const deps = depsWith(async (_, __, ___, warn) => {
    for (const warning of warnings) warn(warning)
    return answer
  })
  await exchange(deps, request(), received as unknown as Http2ServerResponse)
  return received
}

test('a line that has to be converted is not overtaken when there is room for more', async () => {
  const waiting = ['slow', 'fast']
  const conversion = Promise.withResolvers<Buffer>()
  let sink: Sink | undefined
  const take = (): boolean => sink?.take({ type: waiting.shift() } as unknown as Frame) ?? false
  const received = await answered({
    contentType: 'application/json',
    writeFrame: ({ type }) => ((type as string) === 'slow' ? conversion.promise : Buffer.from(type)),
    open(given) {
      sink = given
      return { resume: () => void (waiting.length > 0 && take()), fail() {}, [Symbol.dispose]() {} }
    },
  })
  take()
  received.emit('drain')
  conversion.resolve(Buffer.from('slow'))
  await conversion.promise
  assert.deepEqual(received.lines, ['slow', 'fast'])
})

test('warnings with letters of all kinds are sent as UTF-8, in one line', async () => {
  const body = { code: 200, body: '{}', contentType: 'application/json' }
  const { headers } = await answered(body, ['unknown field "😀é"', 'two\nlines', 'half \ud83d'])
  const sent = (headers['warning'] as string[]).map((text) => Buffer.from(text, 'latin1').toString())
  assert.deepEqual(sent, ['299 - "unknown field \\"😀é\\""', '299 - "two\\x0alines"', '299 - "half \ufffd"'])
})

/** A body that comes as a test wants it. */
async function posting() {
  const clock = new FakeClock()
  const reading = Promise.withResolvers<void>()
  const deps = depsWith(async (asked) => {
    const body = asked.readBody()
    reading.resolve()
    return { code: 200, body: String((await body).length), contentType: 'text/plain' }
  }, clock)
  const sent = request('POST')
  const received = new Received()
  const over = exchange(deps, sent, received as unknown as Http2ServerResponse)
  await reading.promise
  return {
    send: (kib: number) => void sent.emit('data', Buffer.alloc(kib * 1024)),
    clock,
    end: () => void sent.emit('end'),
    over: over.then(() => [received.code, ...received.lines]),
    deps,
  }
}

test('F13b: a body may take its time as long as it keeps its pace, and is given up when it does not', async () => {
  const steady = await posting()
  steady.send(80)
  await steady.clock.advance('5s')
  for (let second = 0; second < 60; second++) {
    steady.send(16)
    await steady.clock.advance('1s')
  }
  steady.end()
  assert.deepEqual(await steady.over, [200, String(1_040 * 1024)])

  const slowing = await posting()
  slowing.send(100)
  await slowing.clock.advance('6s')
  slowing.send(11)
  await slowing.clock.advance('1s')
  assert.equal((await slowing.over)[0], 408)
  assert.equal(slowing.clock.nextDue, undefined)
})

test('F13c: what has come of a body counts for its sender, and no longer than it is needed', async () => {
  const { send, end, over, deps } = await posting()
  const { received, writing } = deps.load
  send(2_000)
  assert.equal(received.hasRoom(user.name, 127 * 1024 * 1024), false)
  assert.equal(writing.hasRoom(user.name, 200), true, 'no place is taken yet')
  end()
  await over
  assert.equal(received.hasRoom(user.name, 128 * 1024 * 1024), true)
})

test('F13d: a body for which its sender has no room is refused as it comes', async () => {
  const { send, over, deps } = await posting()
  using _others = deps.load.received.take(user.name, 127 * 1024 * 1024)
  send(2_000)
  assert.equal((await over)[0], 429)
})
