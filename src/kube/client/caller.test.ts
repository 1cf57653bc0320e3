import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { startFaultProxy } from '../../../test/support/fault-proxy.ts'
import { systemClock } from '../../core/clock.ts'
import { silentLog } from '../../core/log.ts'
import { systemRandom } from '../../core/random.ts'
import { Secret } from '../../core/secret.ts'
import type { Connection, Credentials } from '../connection.ts'
import { Caller } from './caller.ts'
import { connect } from './client.ts'
import type { RequestSample } from './options.ts'
import { settingsOf } from './options.ts'
import { targetOf } from './target.ts'
import type { Handler } from './testing/api.ts'
import { startApi } from './testing/api.ts'
import { aConfigMap, configMaps } from './testing/kinds.ts'

const answered: Handler = (asked) => asked.json(200, aConfigMap('a'))
const never: Handler = () => {}

/** Answers the first `times` requests with `first`, the rest as usual. */
function firstly(times: number, first: Handler): Handler {
  let left = times
  return (asked) => (left-- > 0 ? first(asked) : answered(asked))
}

test('credentials are asked for before each call and sent as a bearer token', async (t) => {
  let calls = 0
  const api = await startApi(t, answered)
  const credentials = async () => ({ authorization: Secret.of(`token-${++calls}`) })
  const here = api.client({}, { credentials, headers: { 'Impersonate-User': 'jo' } }).of(configMaps, 'here')
  await here.get('a')
  await here.get('a')
  assert.deepEqual(
    api.asked.map(({ headers }) => [headers['authorization'], headers['impersonate-user']]),
    [
      ['Bearer token-1', 'jo'],
      ['Bearer token-2', 'jo'],
    ],
  )
})

test('401 is tried once more with fresh credentials', async (t) => {
  const api = await startApi(t, (asked) =>
    asked.headers['authorization'] === 'Bearer fresh' ? answered(asked) : asked.status(401, 'Unauthorized'),
  )
  const asked: unknown[] = []
  const credentials: Connection['credentials'] = async (options) => {
    asked.push(options?.refresh)
    return { authorization: Secret.of(options?.refresh ? 'fresh' : 'stale') }
  }
  await api
    .client({}, { credentials })
    .of(configMaps, 'here')
    .create({ metadata: { name: 'a' } })
  assert.deepEqual(asked, [undefined, true])
})

test('a second 401 is thrown', async (t) => {
  const api = await startApi(t, (asked) => asked.status(401, 'Unauthorized'))
  const credentials = async () => ({ authorization: Secret.of('no-good-canary') })
  await assert.rejects(api.client({}, { credentials }).of(configMaps, 'here').get('a'), { code: 401 })
  assert.equal(api.asked.length, 2)
  await assert.rejects(api.client().of(configMaps, 'here').get('a'), { code: 401 })
  assert.equal(api.asked.length, 3)
})

test('a call whose signal is over asks for no credentials: nobody would hear how that went wrong', async (t) => {
  const api = await startApi(t, answered)
  let asked = 0
  const credentials: Connection['credentials'] = async (options) => {
    asked += 1
    options?.signal?.throwIfAborted()
    return {}
  }
  const here = api.client({}, { credentials }).of(configMaps, 'here')
  await assert.rejects(here.get('a', { signal: AbortSignal.abort() }), { name: 'AbortError' })
  assert.deepEqual([asked, api.asked.length], [0, 0])
})

test('credentials that cannot be had are a failure of their own, and their cause is kept', async (t) => {
  const api = await startApi(t, answered)
  const cause = new Error('plugin gone')
  const credentials = async () => Promise.reject(cause)
  await assert.rejects(api.client({}, { credentials }).of(configMaps, 'here').get('a'), {
    code: 'KUBE_NO_CREDENTIALS',
    cause,
  })
})

test('429 waits for Retry-After and goes on, writes included', async (t) => {
  const clock = new FakeClock()
  const api = await startApi(
    t,
    firstly(2, (asked) => asked.status(429, 'TooManyRequests', { 'retry-after': '3' })),
  )
  const done = api
    .client({ clock, options: { pingAfterMs: 0 } })
    .of(configMaps, 'here')
    .create(aConfigMap('a'))
  for (const times of [1, 2]) {
    await eventually('it waits', () => api.asked.length === times && dueIn(clock) === 3_000)
    await clock.advance('2999ms')
    assert.equal(api.asked.length, times)
    await clock.advance('1ms')
  }
  assert.equal((await done).metadata.name, 'a')
  assert.equal(api.asked.length, 3)
})

const dueIn = (clock: FakeClock) => (clock.nextDue?.getTime() ?? 0) - clock.now().getTime()

test('a Retry-After beyond the deadline is not waited for', async (t) => {
  const api = await startApi(t, (asked) => asked.status(429, 'TooManyRequests', { 'retry-after': '60' }))
  await assert.rejects(api.client().of(configMaps, 'here').get('a'), { code: 429, reason: 'TooManyRequests' })
  assert.equal(api.asked.length, 1)
})

test('503 with Retry-After is repeated, without it is thrown', async (t) => {
  const api = await startApi(
    t,
    firstly(1, (asked) => asked.status(503, 'ServiceUnavailable', { 'retry-after': '0' })),
  )
  await api.client().of(configMaps, 'here').create(aConfigMap('a'))
  assert.equal(api.asked.length, 2)
  const down = await startApi(t, (asked) => asked.status(503, 'ServiceUnavailable'))
  await assert.rejects(down.client().of(configMaps, 'here').get('a'), { code: 503 })
})

test('a write that may have been carried out is not repeated, whatever Retry-After says', async (t) => {
  const api = await startApi(t, (asked) => asked.status(504, 'ServerTimeout', { 'retry-after': '0' }))
  await assert.rejects(api.client().of(configMaps, 'here').create(aConfigMap('a')), { code: 504 })
  assert.equal(api.asked.length, 1)
})

test('a call without an answer ends at its deadline and lets go of the stream', async (t) => {
  const api = await startApi(t, never)
  await assert.rejects(api.client().of(configMaps, 'here').get('a', { deadlineMs: 50 }), {
    code: 'KUBE_DEADLINE',
    message: /^GET \/api\/v1\/namespaces\/here\/configmaps\/a got no answer within 50 ms; check that https:/,
  })
  await api.asked[0]?.gone
})

test('a deadline that passes in the midst of trouble tells of it', async (t) => {
  const api = await startApi(t, answered)
  const proxy = await startFaultProxy(t, api.url)
  proxy.refuse()
  const client = api.client({ options: { deadlineMs: 300, retries: 1_000 } }, { server: proxy.url })
  await assert.rejects(client.of(configMaps, 'here').get('a'), (error) => {
    assert.match(inspect(error), /ECONNRESET|socket disconnected/)
    return true
  })
})

test('the deadline also covers credentials that never come', async (t) => {
  const api = await startApi(t, answered)
  const credentials = () => new Promise<Credentials>(() => {})
  const client = api.client({ options: { deadlineMs: 50 } }, { credentials })
  await assert.rejects(client.of(configMaps, 'here').get('a'), { code: 'KUBE_DEADLINE' })
})

test('whoever fetches credentials is told when the call is aborted or the client closed, not of a deadline', async (t) => {
  const api = await startApi(t, answered)
  const signals: (AbortSignal | undefined)[] = []
  const credentials: Connection['credentials'] = (options) => {
    signals.push(options?.signal)
    return new Promise(() => {})
  }
  const client = api.client({}, { credentials })
  const here = client.of(configMaps, 'here')
  const stop = new AbortController()
  const aborted = assert.rejects(here.get('a', { signal: stop.signal }), { message: 'enough' })
  await assert.rejects(here.get('a', { deadlineMs: 10 }), { code: 'KUBE_DEADLINE' })
  const closed = assert.rejects(here.get('a'), { code: 'KUBE_CLOSED' })
  const told = () => signals.map((signal) => signal?.aborted)
  assert.deepEqual(told(), [false, false, false])
  stop.abort(new Error('enough'))
  await aborted
  assert.deepEqual(told(), [true, false, false])
  await client.close()
  await closed
  assert.deepEqual(told(), [true, true, true])
})

test("an aborted call throws the signal's reason and resets the stream", async (t) => {
  const api = await startApi(t, never)
  const stop = new AbortController()
  const reason = new Error('enough')
  const call = api.client().of(configMaps, 'here').get('a', { signal: stop.signal })
  const rejected = assert.rejects(call, reason)
  await eventually('the server has it', () => api.asked.length === 1)
  stop.abort(reason)
  await rejected
  await api.asked[0]?.gone
  await assert.rejects(api.client().of(configMaps, 'here').get('a', { signal: stop.signal }), reason)
  assert.equal(api.asked.length, 1)
})

test('reads survive a connection that breaks under them', async (t) => {
  const api = await startApi(
    t,
    firstly(1, ({ session }) => session?.destroy()),
  )
  await api.client().of(configMaps, 'here').get('a')
  assert.equal(api.asked.length, 2)
})

test('an answer that breaks off midway is lost, not taken for a short one', async (t) => {
  const api = await startApi(
    t,
    firstly(1, (asked) => {
      asked.res.writeHead(200, { 'content-type': 'application/json' })
      asked.res.write('{"metadata":{"name":"half"}}')
      setTimeout(() => asked.session?.destroy(), 20)
    }),
  )
  assert.equal((await api.client().of(configMaps, 'here').get('a')).metadata.name, 'a')
  assert.equal(api.asked.length, 2)
})

test('a write that may have been carried out is not repeated', async (t) => {
  const api = await startApi(
    t,
    firstly(1, ({ session }) => session?.destroy()),
  )
  await assert.rejects(api.client().of(configMaps, 'here').create(aConfigMap('a')), {
    code: 'KUBE_UNREACHABLE',
    message: /the POST was sent and may have been carried out$/,
  })
  assert.equal(api.asked.length, 1)
})

test('a refused stream is repeated even for a write', async (t) => {
  const refused = 7
  const api = await startApi(
    t,
    firstly(1, ({ res }) => (res as unknown as { stream: { close(code: number): void } }).stream.close(refused)),
  )
  await api.client().of(configMaps, 'here').create(aConfigMap('a'))
  assert.equal(api.asked.length, 2)
})

test('a server that is down for a moment is waited for, whatever the method', async (t) => {
  const api = await startApi(t, answered)
  const proxy = await startFaultProxy(t, api.url)
  proxy.refuse()
  const call = api.client({}, { server: proxy.url }).of(configMaps, 'here').create(aConfigMap('a'))
  setTimeout(() => proxy.heal(), 150)
  await call
  assert.equal(api.asked.length, 1)
})

test('a server that is not there is named', async () => {
  const client = connect(
    { server: 'https://127.0.0.1:1/prefix', tls: {} },
    { clock: systemClock, random: systemRandom, options: { retries: 1 } },
  )
  await assert.rejects(client.request({ path: '/version' }), {
    code: 'KUBE_UNREACHABLE',
    message: 'cannot reach the Kubernetes API at https://127.0.0.1:1/prefix: connect ECONNREFUSED 127.0.0.1:1',
  })
  await client.close()
})

test('calls are paced on the given clock, watches are not counted', async (t) => {
  const clock = new FakeClock()
  const api = await startApi(t, (asked) => (asked.query.has('watch') ? void asked.watch() : answered(asked)))
  const here = api.client({ clock, options: { qps: 1, burst: 2 } }).of(configMaps, 'here')
  const watches = [1, 2, 3].map(() => here.watch()[Symbol.asyncIterator]())
  for (const watch of watches) watch.next()
  const calls = Promise.all([here.get('a'), here.get('a'), here.get('a')])
  await eventually('all but one have gone through', () => api.asked.length === 5)
  await clock.advance('1s')
  await calls
  assert.equal(api.asked.length, 6)
  for (const watch of watches) await watch.return?.()
})

test('who gives up while waiting for a turn is not sent', async (t) => {
  const api = await startApi(t, answered)
  const here = api.client({ options: { qps: 0.01, burst: 1 } }).of(configMaps, 'here')
  await here.get('a')
  await assert.rejects(here.get('a', { deadlineMs: 20 }), { code: 'KUBE_DEADLINE' })
  assert.equal(api.asked.length, 1)
})

test('a closed client fails what is under way and what comes later', async (t) => {
  const api = await startApi(t, never)
  const client = api.client()
  const call = assert.rejects(client.of(configMaps, 'here').get('a'), { code: 'KUBE_CLOSED' })
  await eventually('the server has it', () => api.asked.length === 1)
  await client.close()
  await call
  await assert.rejects(client.of(configMaps, 'here').get('a'), { code: 'KUBE_CLOSED' })
  await eventually('no connection is left', () => api.sessions.size === 0)
})

test('closing does not wait for a connection that is still being opened', async (t) => {
  const api = await startApi(t, never)
  const proxy = await startFaultProxy(t, api.url)
  proxy.halfOpen()
  const client = api.client({}, { server: proxy.url })
  const call = assert.rejects(client.of(configMaps, 'here').get('a'), { code: 'KUBE_CLOSED' })
  await eventually('it dials', () => proxy.connections === 1)
  await client.close()
  await call
  proxy.heal()
  await eventually('no connection is left', () => proxy.connections === 0)
})

test('every try is told to the metrics hook, by kind and not by name', async (t) => {
  const samples: RequestSample[] = []
  const api = await startApi(
    t,
    firstly(1, (asked) => asked.status(429, 'TooManyRequests', { 'retry-after': '0' })),
  )
  const client = api.client({ options: { onRequest: (sample) => samples.push(sample), userAgent: 'lanyard/1.2.3' } })
  await client.of(configMaps, 'here').createSubresource('a', 'token', {})
  await client.request({ path: '/version?x=y' })
  assert.deepEqual(
    samples.map(({ ms, ...rest }) => {
      assert.ok(ms >= 0)
      return rest
    }),
    [
      { method: 'POST', target: 'configmaps/token', watch: false, code: 429 },
      { method: 'POST', target: 'configmaps/token', watch: false, code: 200 },
      { method: 'GET', target: '/version', watch: false, code: 200 },
    ],
  )
  assert.equal(api.asked[0]?.headers['user-agent'], 'lanyard/1.2.3')
})

test('a try that the deadline ended is told to the metrics hook, one that only waited for credentials is not', async (t) => {
  const samples: RequestSample[] = []
  const onRequest = (sample: RequestSample) => samples.push(sample)
  const api = await startApi(t, never)
  const silent = api.client({ options: { onRequest } })
  await assert.rejects(silent.request({ path: '/version', deadlineMs: 50 }), { code: 'KUBE_DEADLINE' })
  assert.deepEqual(
    samples.map(({ target, code }) => [target, code]),
    [['/version', 0]],
  )
  const credentials = () => new Promise<Credentials>(() => {})
  const waiting = api.client({ options: { onRequest } }, { credentials })
  await assert.rejects(waiting.request({ path: '/version', deadlineMs: 50 }), { code: 'KUBE_DEADLINE' })
  assert.equal(samples.length, 1)
})

test('a server that is not trusted is told apart in the samples', async (t) => {
  const samples: RequestSample[] = []
  const api = await startApi(t, answered)
  const client = api.client({ options: { onRequest: (sample) => samples.push(sample) } }, { tls: {} })
  await assert.rejects(client.request({ path: '/version' }), { code: 'KUBE_UNTRUSTED' })
  assert.deepEqual(
    samples.map(({ code, final }) => [code, final]),
    [[0, 'untrusted']],
  )
})

test('whoever admits calls is asked once for each, watches too, and not again for another try', async (t) => {
  let asked = 0
  const api = await startApi(
    t,
    firstly(1, ({ session }) => session?.destroy()),
  )
  const admit = () => {
    asked += 1
    if (asked > 1) throw new Error('no more')
    return undefined
  }
  const here = api.client({ options: { admit } }).of(configMaps, 'here')
  await here.get('a')
  assert.deepEqual([asked, api.asked.length], [1, 2])
  await assert.rejects(here.get('a'), /no more/)
  await assert.rejects(Array.fromAsync(here.watch()), /no more/)
  assert.equal(api.asked.length, 2)
})

test('whoever admits calls hears once when each is over, also of those that were given up', async (t) => {
  let over = 0
  const api = await startApi(t, ({ path, json }) => void (path === '/version' && json(200, {})))
  const client = api.client({ options: { admit: () => () => (over += 1) } })
  await client.request({ path: '/version' })
  assert.equal(over, 1)
  const ending = new AbortController()
  const call = client.request({ path: '/silence', signal: ending.signal })
  await eventually('it is under way', () => api.asked.length === 2)
  assert.equal(over, 1)
  ending.abort(new Error('enough'))
  await assert.rejects(call, /enough/)
  assert.equal(over, 2)
  const another = assert.rejects(client.request({ path: '/silence' }), { code: 'KUBE_CLOSED' })
  await client.close()
  await another
  assert.equal(over, 3)
})

test('a call ahead of the others does not wait for the pace, and the others make up for it', async (t) => {
  const clock = new FakeClock()
  const api = await startApi(t, answered)
  const client = api.client({ clock, options: { qps: 1, burst: 1 } })
  await client.request({ path: '/first' })
  const waiting = client.request({ path: '/waiting' })
  await client.request({ path: '/probe', ahead: true, deadlineMs: 500 })
  const paths = () => api.asked.map(({ path }) => path)
  await clock.advance(1_999)
  assert.deepEqual(paths(), ['/first', '/probe'])
  await clock.advance(1)
  await waiting
  assert.deepEqual(paths(), ['/first', '/probe', '/waiting'])
})

test('raw requests give JSON as values, text as text and nothing as undefined', async (t) => {
  const api = await startApi(t, (asked) => {
    if (asked.path === '/prefix/version') return asked.json(200, { major: '1' })
    if (asked.path === '/prefix/packed')
      return void asked.res.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end('?')
    asked.res.writeHead(asked.path === '/prefix/readyz' ? 200 : 500, { 'content-type': 'text/plain; charset=utf-8' })
    asked.res.end(asked.query.has('empty') ? '' : '[+]ping ok\n')
  })
  const client = api.client({}, { server: `${api.url}/prefix/` })
  assert.deepEqual(await client.request({ path: '/version' }), { major: '1' })
  assert.equal(await client.request({ path: '/readyz?verbose', query: { exclude: 'etcd' } }), '[+]ping ok\n')
  assert.equal(api.asked.at(-1)?.query.toString(), 'verbose=&exclude=etcd')
  assert.equal(await client.request({ path: '/readyz', query: { empty: true } }), undefined)
  await assert.rejects(client.request({ path: '/livez' }), { code: 500, message: '[+]ping ok' })
  await assert.rejects(client.request({ path: '/packed' }), { code: 'KUBE_BAD_ANSWER' })
  await assert.rejects(client.request({ path: '/a/../b' }), { code: 'KUBE_BAD_NAME' })
})

test('no secret shows in what a failing client throws', async (t) => {
  const api = await startApi(t, ({ session }) => session?.destroy())
  const credentials = async () => ({
    authorization: Secret.of('bearer-canary'),
    certificate: await api.authority.client('someone'),
  })
  const client = api.client(
    { options: { retries: 0 } },
    { credentials, proxyUrl: Secret.of('http://user:proxy-canary@127.0.0.1:1') },
  )
  await assert.rejects(client.of(configMaps, 'here').create(aConfigMap('a')), (error) => {
    assert.doesNotMatch(inspect(error, { depth: 10, showHidden: true }), /canary|PRIVATE KEY/)
    return true
  })
})

test('a watch that ends with its answer leaves nothing behind', async (t) => {
  for (const http1 of [true, false]) {
    const api = await startApi(t, (asked) => void asked.res.writeHead(200).end(), { http1 })
    const target = targetOf(api.connection)
    const deps = { clock: systemClock, random: systemRandom, log: silentLog }
    const caller = new Caller({ connection: api.connection, target, settings: settingsOf({}, target), ...deps })
    t.after(() => caller.close())
    const { signal } = new AbortController()
    const stream = await caller.open({ method: 'GET', path: '/api/v1/pods', target: 'pods', signal })
    assert.equal(await stream.take(), undefined)
    assert.equal(getEventListeners(signal, 'abort').length, 0)
  }
})
