import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { anInformedScene } from '../../test/support/informed-scene.ts'
import { kubeFailure, MemoryKube } from '../../test/support/memory-kube.ts'
import { silentLog } from '../core/log.ts'
import { randomFrom } from '../core/random.ts'
import { informer, withoutManagedFields } from './informer.ts'
import { configMaps } from './kinds.ts'
import { keyOf } from './objects.ts'

test('everything that exists is told as added, page by page, before it counts as synced', async (t) => {
  const { clock, kube, informed, told, stop, start } = await anInformedScene(t, {
    seed: 5,
    pageSize: 2,
    isStopped: true,
  })
  assert.equal(informed.isSynced, false)
  const running = start()
  await informed.synced()
  assert.equal(told.length, 5)
  assert.equal(informed.size, 5)
  await clock.settle()
  assert.deepEqual([kube.count('list'), kube.count('watch')], [3, 1])
  stop.abort()
  await running
})

test('writes arrive by the watch, in order', async (t) => {
  const { clock, west, put, told } = await anInformedScene(t)
  await put('a', '1')
  await put('a', '2')
  await put('b', '1')
  await west.delete('a')
  await clock.settle()
  assert.deepEqual(told, ['added a=1', 'updated a=2', 'added b=1', 'deleted a=2'])
})

test('a late handler is told of what is there as added; a disposed one is told nothing', async (t) => {
  const { clock, put, informed } = await anInformedScene(t, { seed: 2 })
  const told: string[] = []
  const handler = informed.on(({ type, object }) => told.push(`${type} ${object.metadata.name}`))
  assert.deepEqual(told, ['added seed-0', 'added seed-1'])
  handler[Symbol.dispose]()
  await put('new', '1')
  await clock.settle()
  assert.equal(told.length, 2)
})

test('a handler that is added by a handler is told of each object once', async (t) => {
  const { clock, put, informed } = await anInformedScene(t)
  const told: string[] = []
  using _ = informed.on(() => {
    informed.on(({ type, object }) => told.push(`${type} ${object.metadata.name}`))
  })
  await put('a', '1')
  await clock.settle()
  assert.deepEqual(told, ['added a'])
})

test('a handler, an index or a transform that throws is logged and stops nobody', async (t) => {
  const errors: unknown[] = []
  const log = { ...silentLog, error: (fields: object) => errors.push(fields) } as unknown as typeof silentLog
  const broken = () => {
    throw new Error('broken')
  }
  const { clock, put, informed, told } = await anInformedScene(t, {
    log,
    indexes: { broken },
    transform: broken,
    isStopped: false,
  })
  informed.on(broken)
  await put('a', '1')
  await clock.settle()
  assert.deepEqual(told, ['added a=1'])
  assert.deepEqual(informed.byIndex('broken', 'x'), [])
  assert.deepEqual(
    new Set(errors.map((fields) => (fields as { callback: string }).callback)),
    new Set(['transform', 'index broken', 'handler']),
  )
})

test('objects can be found by index', async (t) => {
  const { clock, put, informed } = await anInformedScene(t, {
    indexes: { value: ({ data = {} }) => [data['value'] ?? ''] },
  })
  await put('a', 'red')
  await put('b', 'red')
  await put('c', 'blue')
  await put('b', 'blue')
  await clock.settle()
  assert.deepEqual(informed.byIndex('value', 'red').map(keyOf), ['west/a'])
  assert.deepEqual(informed.byIndex('value', 'blue').map(keyOf).sort(), ['west/b', 'west/c'])
})

test('an object that stops matching the selector is deleted for the informer', async (t) => {
  const { clock, west, informed, told } = await anInformedScene(t, { labelSelector: 'team=blue' })
  await west.create({ metadata: { name: 'a', labels: { team: 'blue' } } })
  await west.create({ metadata: { name: 'b', labels: { team: 'red' } } })
  await west.patch('a', { type: 'merge', body: { metadata: { labels: { team: 'red' } } } })
  await clock.settle()
  assert.equal(informed.size, 0)
  assert.deepEqual(told, ['added a=undefined', 'deleted a=undefined'])
})

test('metadata alone is watched through the metadata view', async (t) => {
  const clock = new FakeClock()
  const west = new MemoryKube(clock).of(configMaps, 'west')
  await west.create({ metadata: { name: 'a' }, data: { value: 'large' } })
  const informed = informer(west.metadata, { clock, random: randomFrom(() => 0.5), log: silentLog })
  const stop = new AbortController()
  const running = informed.run(stop.signal)
  t.after(() => {
    stop.abort()
    return running
  })
  await informed.synced()
  assert.equal(informed.get('west/a')?.metadata.name, 'a')
  assert.ok(!('data' in (informed.get('west/a') ?? {})))
})

test('transform decides what is kept', async (t) => {
  const { clock, west, informed } = await anInformedScene(t, { transform: withoutManagedFields })
  await west.create({ metadata: { name: 'a', managedFields: [{ manager: 'm' }] } })
  await clock.settle()
  assert.equal(informed.get('west/a')?.metadata.managedFields, undefined)
})

test('with freeze, whoever changes a shared object throws', async (t) => {
  const { clock, put, informed } = await anInformedScene(t)
  await put('a', '1')
  await clock.settle()
  assert.throws(() => Object.assign(informed.get('west/a')?.data ?? {}, { value: '2' }), TypeError)
})

test('until waits for the sync, then for the predicate, and gives what it found', async (t) => {
  const { clock, put, informed } = await anInformedScene(t, { isStopped: true })
  const stop = new AbortController()
  const isEmpty = informed.until(({ size }) => size === 0)
  const found = informed.until((store) => store.get('west/a'))
  const running = informed.run(stop.signal)
  assert.equal(await isEmpty, true)
  await put('a', '1')
  assert.equal((await found).data?.['value'], '1')
  stop.abort()
  await running
  const never = AbortSignal.abort(new Error('enough'))
  await assert.rejects(
    informed.until(() => false, never),
    /enough/,
  )
  const broken = () => {
    throw new Error('broken predicate')
  }
  await assert.rejects(informed.until(broken), /broken predicate/)
  await clock.settle()
})

test('it runs once at a time and may run again: what changed in between is told', async (t) => {
  const { clock, west, put, informed, told, start, stop, running } = await anInformedScene(t, { seed: 2 })
  await assert.rejects(start(), /already runs/)
  stop.abort()
  await running
  await put('new', '1')
  await west.delete('seed-0')
  told.length = 0
  const again = new AbortController()
  const second = informed.run(again.signal)
  assert.equal(informed.isSynced, false)
  await informed.synced()
  assert.deepEqual(told, ['deleted seed-0=0', 'added new=1'])
  again.abort()
  await second
  await clock.settle()
})

test('a stop ends it whatever it waits for, and leaves no timer', async (t) => {
  for (const prepare of [
    (kube: MemoryKube) => kube.dropWatches(),
    (kube: MemoryKube) => kube.failNext(9, kubeFailure(500, 'InternalError'), 'watch'),
    (kube: MemoryKube) => {
      kube.delayMs = 5_000
      kube.dropWatches(kubeFailure(410, 'Expired'))
    },
  ]) {
    const { clock, kube, stop, running } = await anInformedScene(t, { seed: 1 })
    prepare(kube)
    await clock.advance(300)
    stop.abort()
    await running
    if (kube.delayMs > 0) await clock.advance(kube.delayMs)
    assert.equal(clock.nextDue, undefined)
  }
})

test('it knows when the server was last heard of: by a list, an event, a bookmark, or when asked', async (t) => {
  const { clock, kube, put, informed } = await anInformedScene(t)
  const silentMs = () => clock.now().getTime() - (informed.heardAt?.getTime() ?? Number.NaN)
  await clock.advance('20s')
  assert.equal(silentMs(), 20_000)
  await put('a', '1')
  await clock.settle()
  assert.equal(silentMs(), 0)
  await clock.advance('60s')
  kube.bookmark()
  await clock.settle()
  assert.equal(silentMs(), 0)
  await clock.advance('90s')
  const lists = kube.count('list')
  await Promise.all([informed.check(), informed.check()])
  assert.deepEqual([silentMs(), kube.count('list') - lists], [0, 1])
})

test('what answers a list while no watch can be had has not been heard of', async (t) => {
  const { clock, kube, informed } = await anInformedScene(t)
  kube.failNext(1_000, kubeFailure(403, 'Forbidden'), 'watch')
  kube.dropWatches()
  await clock.advance('200s')
  await informed.check()
  assert.ok(clock.now().getTime() - (informed.heardAt?.getTime() ?? 0) >= 200_000)
  kube.recover()
  await clock.advance('60s')
  await informed.check()
  assert.equal(informed.heardAt?.getTime(), clock.now().getTime())
})
