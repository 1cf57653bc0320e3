import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { systemClock } from '../../core/clock.ts'
import { systemRandom } from '../../core/random.ts'
import { Secret } from '../../core/secret.ts'
import { connect } from './client.ts'
import type { Asked, Handler } from './testing/api.ts'
import { startApi } from './testing/api.ts'
import { aConfigMap, configMaps } from './testing/kinds.ts'
import { startProxy } from './testing/proxy.ts'

const http1 = { http1: true }
const answered: Handler = (asked) => asked.json(200, aConfigMap('a'))
const added = { type: 'ADDED', object: aConfigMap('a') }

test('a server that speaks HTTP/1.1 only is spoken to in it, on connections that are kept', async (t) => {
  const api = await startApi(t, answered, http1)
  const here = api.client().of(configMaps, 'here')
  for (let i = 0; i < 5; i++) await here.update(aConfigMap('a'))
  assert.equal(api.asked.length, 5)
  assert.equal(api.accepted.length, 1)
  assert.equal(api.asked[0]?.headers['host'], new URL(api.url).host)
})

test('calls and watches run side by side', async (t) => {
  const api = await startApi(
    t,
    (asked) => (asked.query.has('watch') ? asked.watch().send(added) : answered(asked)),
    http1,
  )
  const client = api.client()
  const watches = Array.from({ length: 20 }, () => client.of(configMaps).watch()[Symbol.asyncIterator]())
  const events = await Promise.all(watches.map((watch) => watch.next()))
  assert.ok(events.every(({ value }) => value?.type === 'ADDED'))
  await Promise.all(Array.from({ length: 20 }, () => client.of(configMaps, 'here').get('a')))
  for (const watch of watches) await watch.return?.()
  await Promise.all(api.asked.filter(({ query }) => query.has('watch')).map(({ gone }) => gone))
})

test('a call that is aborted or late lets go of its connection', async (t) => {
  const api = await startApi(t, () => {}, http1)
  await assert.rejects(api.client().of(configMaps, 'here').get('a', { deadlineMs: 100 }), { code: 'KUBE_DEADLINE' })
  await api.asked[0]?.gone
})

test('an answer cut off midway is lost: a read is repeated, a write is not', async (t) => {
  let times = 0
  const cut: Handler = (asked) => {
    if (times++ % 2 === 1) return answered(asked)
    asked.res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    asked.res.write('{"metadata":{}}')
    setTimeout(() => asked.res.destroy(), 20)
  }
  const api = await startApi(t, cut, http1)
  const here = api.client().of(configMaps, 'here')
  await here.get('a')
  assert.equal(times, 2)
  await assert.rejects(here.update(aConfigMap('a')), { code: 'KUBE_UNREACHABLE', message: /may have been carried out/ })
  assert.equal(times, 3)
})

test('a watch that ends is over, one that breaks off is lost', async (t) => {
  let taken = Promise.withResolvers<void>()
  const api = await startApi(
    t,
    async (asked) => {
      const watch = asked.watch()
      watch.send(added)
      await taken.promise
      if (asked.query.get('resourceVersion') === '1') watch.end()
      else asked.res.destroy()
    },
    http1,
  )
  const all = api.client().of(configMaps)
  for (const resourceVersion of ['1', '2']) {
    taken = Promise.withResolvers()
    const watch = all.watch({ resourceVersion })[Symbol.asyncIterator]()
    await watch.next()
    taken.resolve()
    if (resourceVersion === '1') assert.equal((await watch.next()).done, true)
    else await assert.rejects(watch.next(), { code: 'KUBE_UNREACHABLE' })
  }
})

test('a new certificate opens new connections, lets calls finish and ends watches', async (t) => {
  const held: Asked[] = []
  const api = await startApi(
    t,
    (asked) => {
      if (asked.path.endsWith('/slow')) held.push(asked)
      else if (asked.query.has('watch')) asked.watch().send(added)
      else answered(asked)
    },
    http1,
  )
  const [old, fresh] = await Promise.all([api.authority.client('old'), api.authority.client('new')])
  let certificate = old
  const client = api.client({}, { credentials: async () => ({ certificate }) })
  const watch = client.of(configMaps).watch()[Symbol.asyncIterator]()
  await watch.next()
  const slow = client.of(configMaps, 'here').get('slow')
  await eventually('it is in flight', () => held.length === 1)
  certificate = fresh
  const waiting = watch.next()
  await client.of(configMaps, 'here').get('a')
  assert.equal((await waiting).done, true)
  held[0]?.json(200, aConfigMap('slow'))
  await slow
  assert.deepEqual(
    api.asked.map(({ user }) => user),
    ['old', 'old', 'new'],
  )
})

test('a closed client leaves no connection behind', async (t) => {
  const api = await startApi(t, answered, http1)
  const client = api.client()
  await client.of(configMaps, 'here').get('a')
  await client.close()
  await assert.rejects(client.of(configMaps, 'here').get('a'), { code: 'KUBE_CLOSED' })
  await eventually('it is closed', () => api.accepted.every(({ destroyed }) => destroyed))
})

test('plain http is spoken where the URL says so, through a proxy too', async (t) => {
  const seen: string[] = []
  const server = createServer((req, res) => {
    seen.push(`${req.method} ${req.url} ${req.headers.host}`)
    res.writeHead(200, { 'content-type': 'application/json' })
    res.end(JSON.stringify(aConfigMap('a')))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => void server.close())
  const { host } = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const proxy = await startProxy(t)
  for (const proxyUrl of [undefined, Secret.of(`http://${proxy.host}`)]) {
    const client = connect(
      { server: `http://${host}`, tls: {}, ...(proxyUrl && { proxyUrl }) },
      { clock: systemClock, random: systemRandom },
    )
    await client.of(configMaps, 'here').get('a')
    await client.close()
  }
  assert.deepEqual(seen, Array(2).fill(`GET /api/v1/namespaces/here/configmaps/a ${host}`))
  assert.equal(proxy.seen.length, 1)
})

test('nothing listening is reported as over HTTP/2', async () => {
  const client = connect(
    { server: 'http://127.0.0.1:1', tls: {} },
    { clock: systemClock, random: systemRandom, options: { retries: 1 } },
  )
  await assert.rejects(client.request({ path: '/version' }), { code: 'KUBE_UNREACHABLE', message: /ECONNREFUSED/ })
  await client.close()
})
