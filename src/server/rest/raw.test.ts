import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { systemClock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { silentLog } from '../../core/log.ts'
import { noMetrics } from '../../core/metrics.ts'
import type { RawRoute } from '../../fleet/rest.ts'
import type { OpenApi } from './openapi.ts'
import { restServer } from './server.ts'

const echo: RawRoute = {
  method: 'POST',
  path: '/hooks/{name}',
  operationId: 'hook',
  summary: 'Say it again',
  tag: 'Hooks',
  bodyLimitBytes: 100,
  answers: { 200: 'Said.' },
  handle: ({ params, body, headers, query, traceId, address, signal }) =>
    body === undefined
      ? { status: 413, contentType: 'text/plain', body: 'too much' }
      : {
          status: 200,
          body: JSON.stringify({
            params,
            body,
            traceId,
            address,
            query,
            mark: headers['x-mark'],
            gone: signal.aborted,
          }),
          headers: { 'x-request-id': traceId },
        },
}

async function serving(t: TestContext, raw: readonly RawRoute[], log: Log = silentLog) {
  const stop = new AbortController()
  const server = restServer({
    api: { title: 'T', version: '1', description: '', routes: [], raw, problemOf: () => undefined },
    access: { authenticate: async () => ({ refused: 'none' }), may: async () => 'no' },
    clock: systemClock,
    log,
    metrics: noMetrics,
    metricsArea: 'test',
    listen: { host: '127.0.0.1', port: 0 },
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

test('a body over the limit is the business of the route, and the connection goes on', async (t) => {
  const url = await serving(t, [echo])
  for (let n = 0; n < 3; n += 1) {
    const answer = await fetch(`${url}/hooks/a`, { method: 'POST', body: 'x'.repeat(1_000_000) })
    assert.deepEqual([answer.status, await answer.text()], [413, 'too much'])
  }
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
  const url = await serving(t, [echo], log)
  const before = lines.length
  await fetch(`${url}/hooks/a`, { method: 'POST' })
  assert.equal(lines.length, before)
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi
  assert.deepEqual(Object.keys(paths['/hooks/{name}']?.['post']?.responses ?? {}), ['200'])
})
