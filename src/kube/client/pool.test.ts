import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../../../test/support/eventually.ts'
import { startFaultProxy } from '../../../test/support/fault-proxy.ts'
import type { WatchEvent } from '../kube.ts'
import type { KubeClient } from './client.ts'
import type { Asked, Handler } from './testing/api.ts'
import { startApi } from './testing/api.ts'
import { aConfigMap, configMaps } from './testing/kinds.ts'

const answered: Handler = (asked) => asked.json(200, aConfigMap('a'))
const isWatch = ({ query }: Asked) => query.has('watch')
const connectionsOf = (asked: Asked[]) => new Set(asked.map(({ connection }) => connection))

/** Opens a watch and waits for its first event. */
async function openWatch(client: KubeClient): Promise<AsyncIterator<WatchEvent<object>>> {
  const watch = client.of(configMaps).watch()[Symbol.asyncIterator]()
  await watch.next()
  return watch
}

const watchable: Handler = (asked) =>
  isWatch(asked) ? asked.watch().send({ type: 'ADDED', object: aConfigMap('a') }) : answered(asked)

test('many calls at once share one connection, opened once', async (t) => {
  const api = await startApi(t, answered)
  const here = api.client().of(configMaps, 'here')
  await Promise.all(Array.from({ length: 50 }, () => here.get('a')))
  assert.equal(connectionsOf(api.asked).size, 1)
  assert.equal(api.accepted.length, 1)
})

test('nothing is opened before the first request', async (t) => {
  const api = await startApi(t, answered)
  api.client().of(configMaps, 'here')
  await delay(50)
  assert.equal(api.accepted.length, 0)
})

test('watches and calls never share a connection', async (t) => {
  const api = await startApi(t, watchable)
  const client = api.client()
  await openWatch(client)
  await client.of(configMaps, 'here').get('a')
  assert.equal(connectionsOf(api.asked).size, 2)
})

test('a further connection is opened at 80 % of the stream limit of the server', async (t) => {
  const api = await startApi(t, watchable, { maxConcurrentStreams: 100 })
  const client = api.client()
  await Promise.all(Array.from({ length: 80 }, () => openWatch(client)))
  assert.equal(connectionsOf(api.asked).size, 1)
  await openWatch(client)
  assert.equal(connectionsOf(api.asked).size, 2)
})

test('250 watches at once are all open and all hear of an event', async (t) => {
  const watches: ReturnType<Asked['watch']>[] = []
  const api = await startApi(t, (asked) => void watches.push(asked.watch()), { maxConcurrentStreams: 100 })
  const client = api.client()
  const events = Array.from({ length: 250 }, () => client.of(configMaps).watch()[Symbol.asyncIterator]().next())
  await eventually('all are open', () => watches.length === 250)
  for (const watch of watches) watch.send({ type: 'ADDED', object: aConfigMap('a') })
  const heard = await Promise.all(events)
  assert.ok(heard.every(({ value }) => value?.type === 'ADDED'))
  assert.equal(connectionsOf(api.asked).size, 4)
})

test('calls beyond all limits wait for their turn, and all are served', async (t) => {
  const api = await startApi(
    t,
    async (asked) => {
      await delay(5)
      answered(asked)
    },
    { maxConcurrentStreams: 5 },
  )
  const here = api.client({ options: { maxCallConnections: 2, qps: 0 } }).of(configMaps, 'here')
  await Promise.all(Array.from({ length: 100 }, () => here.get('a')))
  assert.equal(api.asked.length, 100)
  assert.equal(connectionsOf(api.asked).size, 2)
})

test('a call that is given up while it waits for a stream is never sent', async (t) => {
  const api = await startApi(t, () => {}, { maxConcurrentStreams: 1 })
  const here = api.client({ options: { maxCallConnections: 1 } }).of(configMaps, 'here')
  const giveUp = new AbortController()
  const held = assert.rejects(here.get('held', { signal: giveUp.signal }), { name: 'AbortError' })
  await eventually('the first is held', () => api.asked.length === 1)
  await assert.rejects(here.get('waiting', { deadlineMs: 50 }), { code: 'KUBE_DEADLINE' })
  giveUp.abort()
  await held
  await delay(50)
  assert.equal(api.asked.length, 1)
})

test('an idle connection is closed, and the next call opens another', async (t) => {
  const api = await startApi(t, answered)
  const here = api.client({ options: { idleMs: 60, pingAfterMs: 20 } }).of(configMaps, 'here')
  await here.get('a')
  await eventually('it is closed', () => api.sessions.size === 0)
  await here.get('a')
  assert.equal(connectionsOf(api.asked).size, 2)
})

test('GOAWAY: what is in flight finishes, what is new goes elsewhere', async (t) => {
  const held: Asked[] = []
  const api = await startApi(t, (asked) => (asked.path.endsWith('/slow') ? void held.push(asked) : answered(asked)))
  const here = api.client().of(configMaps, 'here')
  const slow = here.get('slow')
  const [first] = await eventually('it is in flight', () => held.length > 0 && held)
  first?.session?.goaway()
  await eventually('what is new goes elsewhere', async () => {
    await here.get('a')
    return api.asked.at(-1)?.connection === 1
  })
  first?.json(200, aConfigMap('slow'))
  assert.equal((await slow).metadata.name, 'slow')
  assert.equal(api.asked.filter(({ path }) => path.endsWith('/slow')).length, 1)
  await eventually('the old connection is closed', () => api.sessions.size === 1)
})

test('GOAWAY: a write the server says it has not seen is repeated, one it may have seen is not', async (t) => {
  for (const code of [0, 2]) {
    const api = await startApi(t, (asked) => {
      // The first request is stream 1 and is never answered; the second is stream 3, above the last one seen.
      if (asked.body.includes('second') && asked.connection === 0) asked.session?.goaway(code, 1)
      else if (asked.connection > 0) answered(asked)
    })
    const here = api.client().of(configMaps, 'here')
    const giveUp = new AbortController()
    const first = assert.rejects(
      here.create(aConfigMap('first'), { signal: giveUp.signal }),
      code === 0 ? { name: 'AbortError' } : { code: 'KUBE_UNREACHABLE' },
    )
    await eventually('the first is there', () => api.asked.length === 1)
    await here.create(aConfigMap('second'))
    if (code === 0) giveUp.abort()
    await first
    assert.equal(api.asked.length, 3)
  }
})

test('watches outlive a GOAWAY', async (t) => {
  const api = await startApi(t, async (asked) => {
    const watch = asked.watch()
    watch.send({ type: 'ADDED', object: aConfigMap('a') })
    asked.session?.goaway()
    await delay(50)
    watch.send({ type: 'ADDED', object: aConfigMap('b') })
  })
  const watch = await openWatch(api.client())
  assert.equal((await watch.next()).value?.object.metadata.name, 'b')
})

test('a connection that died without a word is found and replaced', async (t) => {
  const api = await startApi(t, watchable)
  const proxy = await startFaultProxy(t, api.url)
  const client = api.client({ options: { pingAfterMs: 50, pingTimeoutMs: 300 } }, { server: proxy.url })
  const watch = await openWatch(client)
  proxy.halfOpen()
  await assert.rejects(watch.next(), { code: 'KUBE_UNREACHABLE', message: /the connection went silent$/ })
  proxy.heal()
  await openWatch(client)
})

test('a call that dies with its connection leaves word: the next one gets another', async (t) => {
  const api = await startApi(t, answered)
  const proxy = await startFaultProxy(t, api.url)
  const here = api.client({ options: { pingTimeoutMs: 50 } }, { server: proxy.url }).of(configMaps, 'here')
  await here.get('a')
  proxy.halfOpen()
  await assert.rejects(here.get('a', { deadlineMs: 50 }), { code: 'KUBE_DEADLINE' })
  await eventually('the next one gets another', async () => {
    await assert.rejects(here.get('a', { deadlineMs: 50 }))
    return proxy.accepted === 2
  })
  proxy.heal()
  await here.update(aConfigMap('a'))
})

test('a quiet but healthy watch is left alone', async (t) => {
  const api = await startApi(t, async (asked) => {
    const watch = asked.watch()
    await delay(300)
    watch.send({ type: 'ADDED', object: aConfigMap('a') })
  })
  const client = api.client({ options: { pingAfterMs: 30, pingTimeoutMs: 2_000 } })
  assert.ok(await openWatch(client))
  assert.equal(api.asked.length, 1)
})

test('a connection that cannot be set up in time is given up', async (t) => {
  const api = await startApi(t, answered)
  const proxy = await startFaultProxy(t, api.url)
  proxy.halfOpen()
  const client = api.client({ options: { connectMs: 30, retries: 1 } }, { server: proxy.url })
  await assert.rejects(client.of(configMaps, 'here').get('a'), {
    code: 'KUBE_UNREACHABLE',
    message: /no connection within 30 ms$/,
  })
  assert.equal(proxy.accepted, 2)
})

/** A client whose certificate can be changed under it. */
async function changeable(t: TestContext, handler: Handler) {
  const api = await startApi(t, handler)
  const current = { certificate: await api.authority.client('old') }
  const next = await api.authority.client('new')
  const client = api.client({}, { credentials: async () => ({ certificate: { ...current.certificate } }) })
  return {
    api,
    client,
    current,
    swap: () => {
      current.certificate = next
    },
  }
}

test('a new certificate moves new calls over and lets those in flight finish', async (t) => {
  const held: Asked[] = []
  const { api, client, swap } = await changeable(t, (asked) =>
    asked.path.endsWith('/slow') ? void held.push(asked) : answered(asked),
  )
  const here = client.of(configMaps, 'here')
  await here.get('a')
  const slow = here.get('slow')
  const [first] = await eventually('it is in flight', () => held.length > 0 && held)
  swap()
  await here.get('b')
  first?.json(200, aConfigMap('slow'))
  assert.equal((await slow).metadata.name, 'slow')
  assert.deepEqual(
    api.asked.map(({ user, connection }) => `${user} on ${connection}`),
    ['old on 0', 'old on 0', 'new on 1'],
  )
  await eventually('the old connection is closed', () => api.sessions.size === 1)
})

test('a new certificate ends watches as a server would, with nothing lost', async (t) => {
  const { api, client, swap } = await changeable(t, watchable)
  const watch = await openWatch(client)
  swap()
  const waiting = watch.next()
  await client.of(configMaps, 'here').get('a')
  assert.deepEqual(await waiting, { done: true, value: undefined })
  await openWatch(client)
  assert.deepEqual(
    api.asked.map(({ user }) => user),
    ['old', 'new', 'new'],
  )
})

test('a call that still waits for a connection when the certificate changes gets one of the new', async (t) => {
  const api = await startApi(t, answered)
  const proxy = await startFaultProxy(t, api.url)
  let certificate = await api.authority.client('old')
  const client = api.client({}, { server: proxy.url, credentials: async () => ({ certificate }) })
  const here = client.of(configMaps, 'here')
  proxy.halfOpen()
  const first = here.create(aConfigMap('a'))
  await eventually('it dials', () => proxy.connections === 1)
  certificate = await api.authority.client('new')
  const second = here.create(aConfigMap('b'))
  await eventually('it dials again', () => proxy.accepted === 2)
  proxy.heal()
  await Promise.all([first, second])
  assert.deepEqual(
    api.asked.map(({ user }) => user),
    ['new', 'new'],
  )
})

test('no call fails while certificates change under load', async (t) => {
  const api = await startApi(t, async (asked) => {
    await delay(3)
    answered(asked)
  })
  const identities = await Promise.all([0, 1, 2, 3].map((n) => api.authority.client(`user-${n}`)))
  let at = 0
  const credentials = async () => ({ certificate: identities[at]! })
  const here = api.client({ options: { qps: 0 } }, { credentials }).of(configMaps, 'here')
  let running = true
  const load = Array.from({ length: 10 }, async () => {
    while (running) await here.update(aConfigMap('a'))
  })
  for (let next = 0; next < identities.length; next++) {
    at = next
    await eventually('it is in use', () => api.asked.some(({ user }) => user === `user-${next}`))
    await delay(30)
  }
  running = false
  await Promise.all(load)
  await eventually('old connections are closed', () => api.sessions.size === 1)
})

test('a new CA is used from the next call on', async (t) => {
  const api = await startApi(t, answered)
  const tls: { ca?: string } = { ca: api.authority.caPem }
  const client = api.client({}, { tls })
  await client.of(configMaps, 'here').get('a')
  tls.ca = (await api.authority.client('another')).certPem
  await assert.rejects(client.of(configMaps, 'here').get('a'), { code: 'KUBE_UNTRUSTED' })
})

test('credentials found earlier do not bring an old identity back', async (t) => {
  const api = await startApi(t, answered)
  const [old, fresh] = await Promise.all([api.authority.client('old'), api.authority.client('new')])
  const slow = Promise.withResolvers<void>()
  let calls = 0
  const credentials = async () => {
    if (++calls > 1) return { certificate: fresh }
    await slow.promise
    return { certificate: old }
  }
  const here = api.client({}, { credentials }).of(configMaps, 'here')
  const first = here.get('a')
  await here.get('b')
  slow.resolve()
  await first
  assert.deepEqual(
    api.asked.map(({ user }) => user),
    ['new', 'new'],
  )
})

test('a new identity that cannot be used leaves the old one in place', async (t) => {
  const { api, client, current, swap } = await changeable(t, answered)
  const here = client.of(configMaps, 'here')
  await here.get('a')
  const working = current.certificate
  current.certificate = { ...working, certPem: 'half a file' }
  await here.get('a')
  await here.get('a')
  swap()
  await here.get('a')
  assert.deepEqual(
    api.asked.map(({ user }) => user),
    ['old', 'old', 'old', 'new'],
  )
})

test('a new certificate that is seen before its key is used once the key is there', async (t) => {
  const api = await startApi(t, (asked) => asked.json(200, aConfigMap(asked.user ?? 'nobody')))
  const [old, fresh] = [await api.authority.client('old'), await api.authority.client('fresh')]
  let certificate = old
  const here = api.client({}, { credentials: async () => ({ certificate }) }).of(configMaps, 'here')
  const user = async () => (await here.get('a')).metadata.name
  assert.equal(await user(), 'old')
  certificate = { ...fresh, keyPem: old.keyPem }
  assert.equal(await user(), 'old')
  certificate = fresh
  assert.equal(await user(), 'fresh')
})

test('a first identity that cannot be used is refused in words', async (t) => {
  const api = await startApi(t, answered)
  const { keyPem } = await api.authority.client('a')
  const { certPem } = await api.authority.client('b')
  const client = api.client({}, { credentials: async () => ({ certificate: { certPem, keyPem } }) })
  await assert.rejects(client.of(configMaps, 'here').get('a'), { code: 'KUBE_BAD_CONNECTION' })
})
