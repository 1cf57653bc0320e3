import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { systemClock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { silentLog } from '../../core/log.ts'
import { noMetrics } from '../../core/metrics.ts'
import type { RawRoute } from '../../fleet/rest.ts'
import { inNetworks } from './connection-limits.ts'
import type { OpenApi } from './openapi.ts'
import type { RestServerOptions } from './server.ts'
import { restServer } from './server.ts'

const echo: RawRoute = {
  method: 'POST',
  path: '/hooks/{name}',
  operationId: 'hook',
  summary: 'Say it again',
  tag: 'Hooks',
  answers: { 200: 'Said.' },
  async handle({ params, body, headers, query, traceId, address, signal }) {
    if (headers['x-mark'] === 'unread') return { status: 413, contentType: 'text/plain', body: 'too much' }
    const text = Buffer.concat(await Array.fromAsync<Buffer>(body)).toString()
    const mark = headers['x-mark']
    return {
      status: 200,
      body: JSON.stringify({ params, body: text, traceId, address, query, mark, gone: signal.aborted }),
      headers: { 'x-request-id': traceId },
    }
  },
}

async function serving(t: TestContext, raw: readonly RawRoute[], more: Partial<RestServerOptions> = {}) {
  const stop = new AbortController()
  const server = restServer({
    api: { title: 'T', version: '1', description: '', routes: [], raw, problemOf: () => undefined },
    access: { authenticate: async () => ({ refused: 'none' }), may: async () => 'no' },
    clock: systemClock,
    log: silentLog,
    metrics: noMetrics,
    metricsArea: 'test',
    listen: { host: '127.0.0.1', port: 0 },
    ...more,
  })
  const ended = server.run(stop.signal)
  t.after(async () => {
    stop.abort()
    await ended
  })
  return (await server.listening).url
}

test('a raw route gets what was sent as it was sent, whoever sent it', async (t) => {
  const url = await serving(t, [echo])
  const answer = await fetch(`${url}/hooks/a%20b%25?x=1`, { method: 'POST', body: '{"a":', headers: { 'x-mark': 'm' } })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'application/json')
  const told = (await answer.json()) as Record<string, unknown>
  assert.equal(answer.headers.get('x-request-id'), told['traceId'])
  assert.deepEqual(
    { ...told, traceId: '' },
    {
      params: { name: 'a b%' },
      body: '{"a":',
      traceId: '',
      address: '127.0.0.1',
      query: { x: '1' },
      mark: 'm',
      gone: false,
    },
  )
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded'])
    assert.equal(
      (await fetch(`${url}/hooks/a`, { method: 'POST', body: 'b', headers: { 'content-type': type } })).status,
      200,
    )
  assert.equal((await fetch(`${url}/hooks/a`, { method: 'POST' })).status, 200)
})

test('F1j: a body that the route does not read is read by nobody, and its sender gets the answer', async (t) => {
  const clock = new FakeClock()
  const url = await serving(t, [echo], { clock })
  const { port } = new URL(url)
  const length = 64 * 1024 * 1024
  const head = `POST /hooks/a HTTP/1.1\r\nhost: h\r\nx-mark: unread\r\ncontent-length: ${length}\r\n\r\n`
  const socket = connect(Number(port), '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(head)
  socket.write(Buffer.alloc(length))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  assert.match(answer.toString(), /413.*too much/s)
  assert.match(answer.toString(), /\r\nconnection: close\r\n/i, 'nobody sends another request on it')
  // What neither side's kernel holds is still here, and nobody takes it.
  assert.ok(socket.writableLength > 0)
  assert.equal(socket.destroyed, false, 'the answer may be read as slowly as that')
  await eventually('it is ended', async () => {
    await clock.advance(4_000)
    return socket.destroyed
  })
  await closed
  const short = { method: 'POST', body: 'x', headers: { 'x-mark': 'unread' } }
  for (let n = 0; n < 3; n += 1) assert.equal((await fetch(`${url}/hooks/a`, short)).status, 413)
})

test('a proxy that is trusted tells the address of who asks, and nobody else does', async (t) => {
  const headers = { 'x-forwarded-for': '192.0.2.7' }
  const asked = async (url: string) =>
    ((await (await fetch(`${url}/hooks/a`, { method: 'POST', headers })).json()) as { address: string }).address
  assert.equal(await asked(await serving(t, [echo])), '127.0.0.1')
  assert.equal(await asked(await serving(t, [echo], { isProxy: inNetworks(['127.0.0.0/8']) })), '192.0.2.7')
})

test('another verb is told which there are, and a failure is told as a problem', async (t) => {
  const failing: RawRoute = {
    ...echo,
    path: '/fails',
    operationId: 'fails',
    handle: () => {
      throw new Error('secret')
    },
  }
  const url = await serving(t, [echo, failing])
  const wrong = await fetch(`${url}/hooks/a`)
  assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'POST'])
  const failed = await fetch(`${url}/fails`, { method: 'POST' })
  assert.equal(failed.status, 500)
  assert.doesNotMatch(await failed.text(), /secret/)
})

test('nothing is logged of single calls, and the page has them', async (t) => {
  const lines: unknown[] = []
  const log = { ...silentLog, info: (...line: unknown[]) => void lines.push(line) } as Log
  const url = await serving(t, [echo], { log })
  const before = lines.length
  await fetch(`${url}/hooks/a`, { method: 'POST' })
  assert.equal(lines.length, before)
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi
  assert.deepEqual(Object.keys(paths['/hooks/{name}']?.['post']?.responses ?? {}), ['200'])
})
