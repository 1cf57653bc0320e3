import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as http2Connect } from 'node:http2'
import { Agent, get } from 'node:https'
import { createServer, connect as netConnect } from 'node:net'
import { test } from 'node:test'
import { eventually } from '../../test/support/eventually.ts'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { after } from '../core/clock.ts'
import { silentLog } from '../core/log.ts'
import { createMetrics } from '../core/metrics.ts'
import { healthRoutes } from './health.ts'
import type { Asked } from './route.ts'
import { serve } from './serve.ts'
import { issuedBy, selfSigned } from './serving-certificate.ts'
import { askHttp2 } from './testing/ask.ts'
import { servingScene } from './testing/scene.ts'

const asJson = { 'content-type': 'application/json' }
const codeOf = (body: string) => JSON.parse(body).code

test('health is ok, by HTTP/1.1 and HTTP/2, until a check fails, which is then named', async (t) => {
  let why: string | undefined
  const { ask, url, caPem } = await servingScene(t, {
    checks: { live: { certificate: () => why }, ready: { synced: () => 'the informers have not listed yet' } },
  })
  assert.deepEqual(await ask('/healthz').then(({ status, body }) => [status, body]), [200, 'ok'])
  assert.deepEqual(await askHttp2(`${url}/livez`, caPem), { status: 200, body: 'ok' })
  const ready = await ask('/readyz')
  assert.deepEqual([ready.status, ready.body], [500, '[-] synced failed: the informers have not listed yet\n'])
  why = 'it has expired'
  for (const path of ['/healthz', '/livez'])
    assert.deepEqual(await ask(path).then(({ status, body }) => [status, body]), [
      500,
      '[-] certificate failed: it has expired\n',
    ])
})

test('a check that throws or hangs has failed, and what it threw stays inside', async (t) => {
  const { ask, clock } = await servingScene(t, {
    checks: {
      ready: {
        broken: () => {
          throw new Error('inner words')
        },
        fine: () => undefined,
        silent: () => new Promise(() => {}),
      },
    },
  })
  const asked = ask('/readyz?verbose')
  await eventually('the check waits', () => clock.nextDue && clock.nextDue.getTime() - clock.now().getTime() === 5_000)
  await clock.advance('5s')
  const { status, body } = await asked
  assert.equal(status, 500)
  assert.deepEqual(body.split('\n'), [
    '[-] broken failed: it could not be checked; look into the log',
    '[+] fine ok',
    '[-] silent failed: no answer within 5000 ms',
    '',
  ])
})

test('probes that come while a check is under way wait for that one', async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<undefined>()
  let begun = 0
  const check = () => {
    begun += 1
    return over
  }
  const ready = new Map(healthRoutes({ ready: { check } }, new FakeClock())).get('/readyz')
  const probe = () => ready?.answer({ query: new URLSearchParams() } as Asked)
  const probes = [probe(), probe(), probe()]
  end(undefined)
  for (const answer of await Promise.all(probes)) assert.equal(answer?.status, 200)
  assert.equal(begun, 1)
  await probe()
  assert.equal(begun, 2)
})

test('metrics are served when there are any', async (t) => {
  const metrics = await createMetrics()
  metrics.counter('lanyard_test_things_total', 'Things').inc()
  const counting = await servingScene(t, { metrics })
  const { status, body, headers } = await counting.ask('/metrics')
  assert.equal(status, 200)
  assert.match(body, /lanyard_test_things_total 1/)
  assert.equal(headers['content-type'], metrics.contentType)
  const silent = await servingScene(t)
  assert.equal((await silent.ask('/metrics')).status, 404)
})

test('a wrong path, method, content type or body gets the status that says so', async (t) => {
  const { ask, lines } = await servingScene(t, { convert: (review) => review })
  const cases: [number, string, string, Parameters<typeof ask>[1]][] = [
    [404, 'SERVER_NO_SUCH_PATH', '/healthz/', {}],
    [405, 'SERVER_WRONG_METHOD', '/convert', {}],
    [405, 'SERVER_WRONG_METHOD', '/healthz', { method: 'POST', headers: asJson, body: '{}' }],
    [415, 'SERVER_WRONG_CONTENT_TYPE', '/convert', { method: 'POST', body: '{}' }],
    [
      415,
      'SERVER_WRONG_CONTENT_TYPE',
      '/convert',
      { method: 'POST', headers: { 'content-type': 'text/json' }, body: '{}' },
    ],
    [
      415,
      'SERVER_WRONG_CONTENT_TYPE',
      '/convert',
      { method: 'POST', headers: { ...asJson, 'content-encoding': 'gzip' }, body: '{}' },
    ],
    [400, 'SERVER_BAD_JSON', '/convert', { method: 'POST', headers: asJson, body: '{"canary-body":' }],
    [
      413,
      'SERVER_BODY_TOO_LARGE',
      '/convert',
      { method: 'POST', headers: asJson, body: Buffer.alloc(8 * 1024 * 1024 + 1, 32) },
    ],
    [
      413,
      'SERVER_BODY_TOO_LARGE',
      '/convert',
      {
        method: 'POST',
        headers: { ...asJson, 'transfer-encoding': 'chunked' },
        body: Buffer.alloc(8 * 1024 * 1024 + 1, 32),
      },
    ],
  ]
  for (const [status, code, path, question] of cases) {
    const reply = await ask(path, question)
    assert.deepEqual([reply.status, codeOf(reply.body)], [status, code], `${path} ${JSON.stringify(question?.headers)}`)
    assert.equal(reply.headers['content-type'], 'application/problem+json')
  }
  assert.equal((await ask('/convert', {})).headers['allow'], 'POST')
  assert.equal(lines.join('').includes('canary-body'), false)
})

test('a conversion is answered; one that throws is a 500 without internals', async (t) => {
  const { post, lines } = await servingScene(t, {
    convert: (review) => {
      if ((review as { fail?: boolean }).fail) throw new Error('inner words')
      return { converted: review }
    },
  })
  assert.deepEqual(JSON.parse((await post('/convert', { a: 1 })).body), { converted: { a: 1 } })
  const failed = await post('/convert', { fail: true })
  assert.equal(failed.status, 500)
  assert.equal(failed.body.includes('inner words'), false)
  assert.equal(
    lines.some((line) => line.includes('inner words')),
    true,
  )
})

test('the certificate is renewed at two thirds of its life, without a restart', async (t) => {
  const { ask, clock, lines } = await servingScene(t)
  const first = await ask('/healthz')
  await clock.advance('59d')
  assert.equal((await ask('/healthz')).serial, first.serial)
  await clock.advance('25h')
  await eventually('it is renewed', () => lines.some((line) => line.includes('serving certificate renewed')))
  assert.notEqual((await ask('/healthz', { unchecked: true })).serial, first.serial)
})

test('a certificate that cannot be renewed is kept, and tried again after a minute', async (t) => {
  const clock = new FakeClock(new Date())
  const made = selfSigned({ names: { ipAddresses: ['127.0.0.1'] }, clock })
  let calls = 0
  const { lines } = await servingScene(t, {
    clock,
    certificate: async () => {
      calls += 1
      if (calls === 2) throw new Error('no key')
      return made()
    },
  })
  await clock.advance('60d')
  await eventually('it failed', () => lines.some((line) => line.includes('serving certificate not renewed')))
  await clock.advance('1m')
  await eventually('it was renewed', () => lines.some((line) => line.includes('serving certificate renewed')))
  assert.equal(calls, 3)
})

test('an issued certificate lives 90 days, or as long as its authority', async () => {
  const { createAuthority, readCertificate } = await import('../pki/index.ts')
  const clock = new FakeClock('2026-01-01T00:00:00Z')
  const names = { dnsNames: ['lanyard-hub.open-cluster-management-hub.svc'], ipAddresses: ['10.0.0.1'] }
  const dayMs = 24 * 3_600_000
  const long = await createAuthority({ commonName: 'ca', clock, lifetimeMs: 3650 * dayMs })
  const issued = await issuedBy(long, { names, clock })()
  const { notAfter, sans } = readCertificate(issued.certPem)
  assert.equal(notAfter.toISOString(), '2026-04-01T00:00:00.000Z')
  assert.equal(issued.renewAt.toISOString(), '2026-03-02T00:00:00.000Z')
  assert.deepEqual([sans.dnsNames, sans.ipAddresses], [names.dnsNames, names.ipAddresses])
  const short = await createAuthority({ commonName: 'ca', clock, lifetimeMs: 3 * dayMs })
  assert.equal((await issuedBy(short, { names, clock })()).renewAt.toISOString(), '2026-01-03T00:00:00.000Z')
})

test('an address in use is refused with what to do, and listening tells it too', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => taken.close())
  const { port } = taken.address() as { port: number }
  const clock = new FakeClock(new Date())
  const server = serve({
    listen: { host: '127.0.0.1', port },
    certificate: selfSigned({ names: {}, clock }),
    clock,
    log: silentLog,
  })
  await assert.rejects(server.run(new AbortController().signal), { code: 'SERVER_CANNOT_LISTEN' })
  await assert.rejects(server.listening, { code: 'SERVER_CANNOT_LISTEN' })
})

test('it ends when told to, and refuses connections from then on', async (t) => {
  const { ask, stop } = await servingScene(t)
  await ask('/healthz')
  await stop()
  await assert.rejects(ask('/healthz'), { code: 'ECONNREFUSED' })
})

test('connections that idle do not hold up its end, and those that hang do so for a second', async (t) => {
  const { url, port, caPem, clock, stop } = await servingScene(t)
  const agent = new Agent({ keepAlive: true, ca: caPem })
  t.after(() => agent.destroy())
  const kept = get(`${url}/healthz`, { agent })
  const [answer] = await once(kept, 'response')
  await Array.fromAsync(answer)
  const session = http2Connect(url, { ca: caPem })
  session.on('error', () => {})
  await once(session, 'remoteSettings')
  const mute = netConnect(port, '127.0.0.1')
  mute.on('error', () => {})
  await once(mute, 'connect')
  const stopped = stop()
  await clock.advance('1s')
  await stopped
})

test('many requests at a time are answered without a warning', async (t) => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => void warnings.push(warning)
  process.on('warning', onWarning)
  t.after(() => process.off('warning', onWarning))
  let open: () => void = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const { ask } = await servingScene(t, { checks: { live: { gate: async () => void (await gate) } } })
  const asked = Array.from({ length: 50 }, () => ask('/healthz'))
  open()
  for (const { status } of await Promise.all(asked)) assert.equal(status, 200)
  assert.deepEqual(warnings, [])
})

test('it ends while it still waits for its first certificate', async () => {
  const stopping = new AbortController()
  const server = serve({
    listen: { host: '127.0.0.1', port: 0 },
    certificate: () => new Promise(() => {}),
    clock: new FakeClock(),
    log: silentLog,
  })
  const over = server.run(stopping.signal)
  stopping.abort()
  await over
  await assert.rejects(server.listening, { name: 'AbortError' })
})

test('the same certificate given again is no renewal', async (t) => {
  const clock = new FakeClock(new Date())
  const made = await selfSigned({ names: {}, clock })()
  let calls = 0
  const { lines } = await servingScene(t, {
    clock,
    certificate: async () => {
      calls += 1
      return { ...made, renewAt: after(clock.now(), 60_000) }
    },
  })
  await clock.advance('5m')
  await eventually('it was asked for again', () => calls > 3)
  assert.equal(
    lines.some((line) => line.includes('renewed')),
    false,
  )
})
