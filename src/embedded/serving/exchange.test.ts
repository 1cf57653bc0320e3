import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { silentLog } from '../../core/log.ts'
import type { Answer } from '../requests/answer.ts'
import type { Frame } from '../watch/frame.ts'
import type { Sink } from '../watch/watch.ts'
import { exchange } from './exchange.ts'
import { Load } from './load.ts'

const user = { name: 'a', groups: [] }
const request = () =>
  Object.assign(new EventEmitter(), {
    url: '/api/v1/configmaps',
    method: 'GET',
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
  headers: Record<string, unknown> = {}
  writableLength = 0
  writeHead(_code: number, headers: Record<string, unknown>) {
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

const answered = async (answer: Answer, warnings: string[] = []): Promise<Received> => {
  const received = new Received()
  const deps = {
    authenticator: { authenticate: async () => user },
    authorizer: { authorize: async () => ({ verdict: 'allow' as const, reason: '' }) },
    impersonate: async () => user,
    log: silentLog,
    clock: new FakeClock(),
    watches: new Set<Disposable>(),
    load: new Load(),
    route: async (_: unknown, __: unknown, ___: unknown, warn: (text: string) => void) => {
      for (const warning of warnings) warn(warning)
      return answer
    },
  }
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
