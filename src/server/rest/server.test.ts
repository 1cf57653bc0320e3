import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { connect as tlsConnect } from 'node:tls'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { systemClock } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import { silentLog } from '../../core/log.ts'
import { createMetrics, noMetrics } from '../../core/metrics.ts'
import type { RestRoute } from '../../fleet/rest.ts'
import { selfSigned } from '../serving-certificate.ts'
import { probeServer } from './health.ts'
import type { RestServerOptions } from './server.ts'
import { restServer } from './server.ts'

const route = (handle: RestRoute['handle']): RestRoute => ({
  method: 'GET',
  path: '/thing',
  operationId: 'getThing',
  summary: 'Get it',
  tag: 'Things',
  permission: 'read',
  answers: { 200: undefined },
  example: { answers: {} },
  handle,
})

const optionsOf = (handle: RestRoute['handle'], more: Partial<RestServerOptions> = {}): RestServerOptions => ({
  api: {
    title: 'Things',
    version: '1',
    description: 'Of things.',
    routes: [route(handle)],
    problemOf: () => undefined,
  },
  access: {
    authenticate: async () => ({ identity: { name: 'me', kind: 'local', claims: {} } }),
    may: async () => 'yes',
  },
  clock: systemClock,
  log: silentLog,
  metrics: noMetrics,
  metricsArea: 'test',
  listen: { host: '127.0.0.1', port: 0 },
  ...more,
})

async function running(t: TestContext, options: RestServerOptions) {
  const server = restServer(options)
  const stop = new AbortController()
  const ended = server.run(stop.signal)
  t.after(async () => {
    stop.abort()
    await ended
  })
  return { ...(await server.listening), stop, ended }
}

test('what is under way when it is told to stop is answered, and then it ends', async (t) => {
  const begun = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const { url, stop, ended } = await running(
    t,
    optionsOf(async () => {
      begun.resolve()
      await finish.promise
      return { status: 200, body: { done: true } }
    }),
  )
  const answer = fetch(`${url}/thing`)
  await begun.promise
  stop.abort()
  finish.resolve()
  assert.deepEqual(await (await answer).json(), { done: true })
  await ended
  await assert.rejects(fetch(`${url}/thing`))
})

const refused = (port: number) =>
  eventually('nobody new is let in', async () => {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return false
    } catch {
      return true
    } finally {
      socket.destroy()
    }
  })

test('a connection that its client keeps ends with the answer that was under way, however long the drain', async (t) => {
  const clock = new FakeClock()
  const begun = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const { port, stop, ended } = await running(
    t,
    optionsOf(
      async () => {
        begun.resolve()
        await finish.promise
        return { status: 200, body: { done: true } }
      },
      { clock },
    ),
  )
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const asking = once(get({ port, host: '127.0.0.1', path: '/thing', agent }), 'response')
  await begun.promise
  stop.abort()
  await refused(port)
  finish.resolve()
  const [answer] = await asking
  assert.deepEqual([answer.statusCode, answer.headers.connection], [200, 'close'])
  assert.equal(Buffer.concat(await Array.fromAsync(answer)).toString(), '{"done":true}')
  await ended
})

for (const scheme of ['http', 'https'] as const)
  test(`a connection of ${scheme} that somebody opened in advance does not hold it up`, async (t) => {
    const clock = new FakeClock()
    const certificate = selfSigned({ names: { ipAddresses: ['127.0.0.1'] }, clock })
    const more = scheme === 'https' ? { clock, certificate } : { clock }
    const { port, stop, ended } = await running(
      t,
      optionsOf(async () => ({ status: 200 }), more),
    )
    const silent = connect(port, '127.0.0.1').on('error', () => {})
    const closed = [new Promise((resolve) => silent.once('close', resolve))]
    await new Promise<void>((resolve) => void silent.once('connect', resolve))
    if (scheme === 'https') {
      const shaken = tlsConnect({ port, host: '127.0.0.1', rejectUnauthorized: false }).on('error', () => {})
      closed.push(new Promise((resolve) => shaken.once('close', resolve)))
      await new Promise<void>((resolve) => void shaken.once('secureConnect', resolve))
    }
    stop.abort()
    await ended
    await Promise.all(closed)
  })

test('what takes longer than the drain is cut off', async (t) => {
  const clock = new FakeClock()
  const begun = Promise.withResolvers<AbortSignal>()
  const { url, stop, ended } = await running(
    t,
    optionsOf(
      async ({ signal }) => {
        begun.resolve(signal)
        return await new Promise<never>(() => {})
      },
      { clock },
    ),
  )
  const answer = fetch(`${url}/thing`)
  answer.catch(() => {})
  const signal = await begun.promise
  stop.abort()
  await clock.advance('15s')
  await ended
  await assert.rejects(answer)
  assert.ok(signal.aborted)
})

test('a route that takes too long is a problem, and hears of it', async (t) => {
  const clock = new FakeClock()
  const begun = Promise.withResolvers<AbortSignal>()
  const { url } = await running(
    t,
    optionsOf(
      async ({ signal }) => {
        begun.resolve(signal)
        return await new Promise<never>(() => {})
      },
      { clock, answerWithinMs: 1_000 },
    ),
  )
  const answer = fetch(`${url}/thing`)
  const signal = await begun.promise
  await clock.advance('1s')
  const { status, code } = (await (await answer).json()) as { status: number; code: string }
  assert.deepEqual([status, code, signal.aborted], [504, 'HYPERFLEET-SVC-003', true])
})

test('what is no HTTP is answered by a problem', async (t) => {
  const { port } = await running(
    t,
    optionsOf(async () => ({ status: 200 })),
  )
  const socket = connect(port, '127.0.0.1')
  socket.end('nonsense\r\n\r\n')
  const text = Buffer.concat((await Array.fromAsync(socket)) as Buffer[]).toString()
  assert.match(text, /^HTTP\/1\.1 400 [\s\S]*application\/problem\+json[\s\S]*HYPERFLEET-VAL-003/)
})

test('a port that is taken is told, with what to do', async (t) => {
  const { port } = await running(
    t,
    optionsOf(async () => ({ status: 200 })),
  )
  const second = restServer(optionsOf(async () => ({ status: 200 }), { listen: { host: '127.0.0.1', port } }))
  await assert.rejects(second.run(new AbortController().signal), (error) => isFailure(error, 'SERVER_CANNOT_LISTEN'))
  await assert.rejects(second.listening)
})

test('it serves https with a certificate that it is given', async (t) => {
  const certificate = selfSigned({ names: { ipAddresses: ['127.0.0.1'] }, clock: systemClock })
  const { url } = await running(
    t,
    optionsOf(async () => ({ status: 200, body: { ok: true } }), { certificate }),
  )
  assert.match(url, /^https:/)
  const status = await new Promise((resolve, reject) => {
    httpsRequest(`${url}/thing`, { rejectUnauthorized: false, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .once('error', reject)
      .end()
  })
  assert.equal(status, 200)
})

test('probes answer 503 while not ready, and metrics on request', async (t) => {
  let why: string | undefined = 'the database does not answer'
  const metrics = await createMetrics()
  metrics.counter('lanyard_core_starts_total', 'Starts').inc()
  const server = probeServer({
    listen: { host: '127.0.0.1', port: 0 },
    clock: systemClock,
    log: silentLog,
    checks: { ready: { database: () => why } },
    metrics,
  })
  const stop = new AbortController()
  const ended = server.run(stop.signal)
  t.after(async () => {
    stop.abort()
    await ended
  })
  const { url } = await server.listening
  const get = async (path: string) => {
    const answer = await fetch(`${url}${path}`)
    return [answer.status, await answer.text()] as const
  }
  assert.deepEqual(await get('/readyz'), [503, '[-] database failed: the database does not answer\n'])
  assert.deepEqual(await get('/healthz'), [200, 'ok'])
  why = undefined
  assert.deepEqual(await get('/readyz'), [200, 'ok'])
  assert.match((await get('/metrics'))[1], /lanyard_core_starts_total 1/)
  assert.equal((await get('/else'))[0], 404)
})
