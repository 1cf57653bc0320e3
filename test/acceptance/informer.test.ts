/** Informers on a real API, through a network that is broken on purpose. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { ClientOptions } from '../../src/kube/client/index.ts'
import type { Informer, InformerOptions } from '../../src/kube/informer.ts'
import { informer } from '../../src/kube/informer.ts'
import { configMaps, secrets } from '../../src/kube/kinds.ts'
import type { Collection } from '../../src/kube/kube.ts'
import type { Source } from '../../src/kube/list-watch.ts'
import type { KubeObject } from '../../src/kube/objects.ts'
import { keyOf } from '../../src/kube/objects.ts'
import { aConfigMap, aSecret } from '../support/builders.ts'
import type { ControlPlane } from '../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { freshNamespace } from '../support/fresh-namespace.ts'
import { versionsOf } from '../support/informed-scene.ts'
import { kubeClient } from '../support/kube-client.ts'
import { never } from '../support/never.ts'
import { teardown } from '../support/test-scope.ts'

const deps = { clock: systemClock, random: systemRandom, log: silentLog, freeze: true }

function start<T extends KubeObject>(t: TestContext, informed: Informer<T>): Informer<T> {
  const stop = new AbortController()
  const running = informed.run(stop.signal)
  teardown(t, async () => {
    stop.abort()
    await running
  })
  return informed
}

/** A namespace, a client that reaches the server at any time, and one whose network can be broken. */
async function aNetwork(t: TestContext, plane: ControlPlane, options: ClientOptions = {}) {
  const direct = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, direct)
  const proxy = await startFaultProxy(t, plane.url)
  /** What was answered with success, and how often a list was asked for at all. */
  const counts = { lists: 0, watches: 0, listTries: 0 }
  const impaired = kubeClient(
    t,
    { ...plane.connection(), server: proxy.url },
    {
      connectMs: 2_000,
      ...options,
      onRequest: ({ watch, code }) => {
        if (!watch) counts.listTries += 1
        if (code !== 200) return
        if (watch) counts.watches += 1
        else counts.lists += 1
      },
    },
  )
  const here = direct.of(configMaps, namespace)
  return { namespace, proxy, counts, here, there: impaired.of(configMaps, namespace), impaired }
}

function anInformer(t: TestContext, there: Source<ConfigMap>, options: Partial<InformerOptions<ConfigMap>> = {}) {
  return start(t, informer(there, { ...deps, backoff: { baseMs: 20, maxMs: 1_000 }, ...options }))
}

/** Waits until the informer has what the server has. */
const assertSame = (informed: Informer<ConfigMap>, here: Collection<ConfigMap>) =>
  eventually('the informer has what the server has', async () => {
    assert.deepEqual(versionsOf(informed.list()), versionsOf((await here.list()).items))
    return true
  })

/** Creates, changes and deletes without a pause until stopped; how many writes that were. */
function writeAllTheTime(here: Collection<ConfigMap>) {
  let isRunning = true
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    let writes = 0
    for (; isRunning; writes++) {
      const name = `object-${writer}-${writes % 5}`
      if (writes % 11 === 10) await here.delete(name)
      else await here.apply(aConfigMap(name, { writes: `${writes}` }), { fieldManager: 'test' })
    }
    return writes
  })
  return async () => {
    isRunning = false
    return (await Promise.all(writers)).reduce((sum, writes) => sum + writes, 0)
  }
}

describe('an informer', needsControlPlane, () => {
  test('that lost its connection 100 times under continuous writes has seen every last state, with one list', async (t) => {
    const { proxy, counts, here, there } = await aNetwork(t, await startControlPlane(t))
    const informed = anInformer(t, there)
    const told = new Map<string, string>()
    informed.on(({ type, object }) => {
      if (type === 'deleted') told.delete(keyOf(object))
      else told.set(keyOf(object), object.metadata.resourceVersion)
    })
    await informed.synced()
    const stop = writeAllTheTime(here)
    for (let lost = 0; lost < 100; lost++) {
      await eventually('it watches again', () => counts.watches > lost, { everyMs: 2 })
      if (lost % 2 === 0) proxy.resetAll()
      else proxy.dropAll()
    }
    const writes = await stop()
    await assertSame(informed, here)
    never('lost', () => assert.deepEqual(Object.fromEntries([...told].sort()), versionsOf(informed.list())))
    assert.equal(counts.lists, 1)
    t.diagnostic(`${writes} writes, ${counts.watches} watches, ${counts.lists} list`)
  })

  test('lists in pages, then hears of every change', async (t) => {
    const { namespace, counts, here, there } = await aNetwork(t, await startControlPlane(t))
    await Promise.all(Array.from({ length: 120 }, (_, n) => here.create(aConfigMap(`object-${n}`))))
    const informed = anInformer(t, there, { pageSize: 50 })
    await informed.synced()
    assert.ok(informed.size >= 120)
    assert.equal(counts.lists, 3)
    await here.create(aConfigMap('later', { value: '1' }))
    await here.delete('object-7')
    await informed.until((store) => store.get(`${namespace}/later`))
    await assertSame(informed, here)
  })

  test('keeps metadata only where that is asked for', async (t) => {
    const { namespace, impaired } = await aNetwork(t, await startControlPlane(t))
    const objects = impaired.of(secrets, namespace)
    await objects.create(aSecret('a', { password: 'canary' }))
    const informed = start(t, informer(objects.metadata, deps))
    await informed.synced()
    await objects.patch('a', { type: 'merge', body: { metadata: { labels: { seen: 'yes' } } } })
    const kept = await informed.until((store) => store.list().find(({ metadata }) => metadata.labels?.['seen']))
    assert.deepEqual(Object.keys(kept).sort(), ['apiVersion', 'kind', 'metadata'])
  })

  test('notices a half-open connection by itself and goes on elsewhere', async (t) => {
    const plane = await startControlPlane(t)
    const { proxy, counts, here, there } = await aNetwork(t, plane, { pingAfterMs: 150, pingTimeoutMs: 150 })
    const informed = anInformer(t, there)
    await eventually('it watches', () => counts.watches >= 1)
    const before = proxy.accepted
    proxy.halfOpen()
    await here.create(aConfigMap('meanwhile'))
    await eventually('it dials again', () => proxy.accepted > before)
    proxy.heal()
    await assertSame(informed, here)
    assert.equal(counts.lists, 1)
  })

  test('follows a server that is slow', async (t) => {
    const { proxy, counts, here, there } = await aNetwork(t, await startControlPlane(t))
    proxy.delay(150)
    const informed = anInformer(t, there)
    await informed.synced()
    await here.create(aConfigMap('a'))
    await assertSame(informed, here)
    assert.deepEqual([counts.lists, counts.watches], [1, 1])
  })

  test('starts a list over that was cut off in the middle', async (t) => {
    const { proxy, counts, here, there } = await aNetwork(t, await startControlPlane(t))
    const large = 'x'.repeat(20_000)
    await Promise.all(Array.from({ length: 20 }, (_, n) => here.create(aConfigMap(`object-${n}`, { large }))))
    proxy.cutAfterBytes(100_000)
    const informed = anInformer(t, there)
    await eventually('it was cut off', () => proxy.accepted >= 3)
    assert.equal(informed.isSynced, false)
    assert.equal(informed.size, 0)
    proxy.heal()
    await assertSame(informed, here)
    assert.ok(counts.listTries <= 12, `${counts.listTries} lists`)
  })

  test('told that its version is too old it lists again, once, and tells what it missed', async (t) => {
    const { counts, here, there } = await aNetwork(t, await startControlPlane(t))
    await here.create(aConfigMap('goes'))
    let isFirst = true
    const aged: Source<ConfigMap> = {
      pages: (options) => there.pages(options),
      async *watch(options) {
        if (isFirst) {
          isFirst = false
          await here.delete('goes')
          yield* there.watch({ ...options, resourceVersion: '1' })
        } else yield* there.watch(options)
      },
    }
    const informed = anInformer(t, aged)
    const told: string[] = []
    informed.on(
      ({ type, object }) => /goes|comes/.test(object.metadata.name) && told.push(`${type} ${object.metadata.name}`),
    )
    await eventually('it watches', () => counts.watches >= 1)
    await here.create(aConfigMap('comes'))
    await assertSame(informed, here)
    assert.deepEqual(told, ['added goes', 'deleted goes', 'added comes'])
    assert.equal(counts.lists, 2)
  })

  test('outlives a restart of the server, and tells of what happened meanwhile', async (t) => {
    const plane = await startControlPlane(t, { controllers: false })
    const { proxy, counts, here, there } = await aNetwork(t, plane)
    await here.create(aConfigMap('goes'))
    await here.create(aConfigMap('stays', { value: '1' }))
    const informed = anInformer(t, there)
    const told: string[] = []
    await informed.synced()
    informed.on(({ type, object }) => told.push(`${type} ${object.metadata.name}`))
    told.length = 0
    proxy.refuse()
    proxy.resetAll()
    await here.delete('goes')
    await here.apply(aConfigMap('stays', { value: '2' }), { fieldManager: 'test', force: true })
    await here.create(aConfigMap('comes'))
    await plane.restart(plane.apiServer)
    proxy.heal()
    await assertSame(informed, here)
    assert.deepEqual(told.sort(), ['added comes', 'deleted goes', 'updated stays'])
    assert.ok(counts.listTries <= 4, `${counts.listTries} lists`)
    t.diagnostic(`${counts.listTries} lists`)
  })
})
