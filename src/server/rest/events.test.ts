import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { silentLog } from '../../core/log.ts'
import { noMetrics } from '../../core/metrics.ts'
import type { ServerSentEvent } from '../../fleet/rest.ts'
import { frameOf, framesOf } from './events.ts'
import { restServer } from './server.ts'

/** Events that a test gives one by one. */
function given() {
  const waiting: PromiseWithResolvers<IteratorResult<ServerSentEvent>>[] = [Promise.withResolvers()]
  let asked = 0
  let ended = false
  return {
    get asked() {
      return asked
    },
    get ended() {
      return ended
    },
    push(event: ServerSentEvent) {
      waiting.at(-1)?.resolve({ done: false, value: event })
      waiting.push(Promise.withResolvers())
    },
    events: {
      [Symbol.asyncIterator]: () => ({
        next: () => (waiting[asked++] as (typeof waiting)[number]).promise,
        return: async () => {
          ended = true
          return { done: true as const, value: undefined }
        },
      }),
    },
  }
}

test('an event is one block of lines', () => {
  assert.equal(
    frameOf({ id: '4.1', event: 'session', data: { a: 'b\nc' } }),
    'id: 4.1\nevent: session\ndata: {"a":"b\\nc"}\n\n',
  )
  assert.equal(frameOf({ data: 1 }), 'data: 1\n\n')
  assert.equal(frameOf({ id: '4.1' }), 'id: 4.1\n\n')
})

test('silence is broken every 15 s, and what was waited for is not lost by it', async () => {
  const clock = new FakeClock()
  const source = given()
  const frames = framesOf(source.events, { clock, signal: new AbortController().signal })
  assert.equal((await frames.next()).value, ': here\n\n')
  const first = frames.next()
  await clock.advance('15s')
  assert.equal((await first).value, ': still here\n\n')
  source.push({ data: 1 })
  assert.equal((await frames.next()).value, 'data: 1\n\n')
  assert.equal(source.asked, 1, 'the next is asked for when the last was taken')
})

test('it ends when nobody listens any more', async () => {
  const over = new AbortController()
  const source = given()
  const frames = framesOf(source.events, { clock: new FakeClock(), signal: over.signal })
  await frames.next()
  const next = frames.next()
  over.abort()
  assert.equal((await next).done, true)
  assert.ok(source.ended)
})

test('a stream is served as it comes, and a server that stops ends it at once', async (t) => {
  const clock = new FakeClock()
  const source = given()
  const stop = new AbortController()
  const server = restServer({
    api: {
      title: 'T',
      version: '1',
      description: '',
      problemOf: () => undefined,
      routes: [
        {
          method: 'GET',
          path: '/events',
          operationId: 'events',
          summary: 'Watch',
          tag: 'Things',
          answers: { 200: undefined },
          isStream: true,
          example: { answers: {} },
          handle: async () => ({ status: 200, events: source.events }),
        },
      ],
    },
    access: {
      authenticate: async () => ({ identity: { name: 'me', kind: 'jwt', claims: {} } }),
      may: async () => 'no',
    },
    clock,
    log: silentLog,
    metrics: noMetrics,
    metricsArea: 'test',
    listen: { host: '127.0.0.1', port: 0 },
  })
  const ended = server.run(stop.signal)
  t.after(() => stop.abort())
  const answer = await fetch(`${(await server.listening).url}/events`)
  assert.equal(answer.headers.get('content-type'), 'text/event-stream')
  const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
  assert.equal((await reader.read()).value, ': here\n\n')
  source.push({ id: '1', data: {} })
  assert.equal((await reader.read()).value, 'id: 1\ndata: {}\n\n')
  stop.abort()
  assert.equal((await reader.read()).done, true)
  await ended
})
