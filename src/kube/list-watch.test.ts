import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { anInformedScene, versionsOf } from '../../test/support/informed-scene.ts'
import { kubeFailure, unreachable } from '../../test/support/memory-kube.ts'
import { never } from '../../test/support/never.ts'
import type { Log } from '../core/log.ts'
import { silentLog } from '../core/log.ts'
import { randomFrom } from '../core/random.ts'
import { informer } from './informer.ts'

const expired = () => kubeFailure(410, 'Expired')

test('a watch that the server ends is resumed at once, without a list', async (t) => {
  const { clock, kube, put, told } = await anInformedScene(t, { seed: 3 })
  await clock.advance('299s')
  assert.equal(kube.count('watch'), 1)
  await clock.advance('1s')
  assert.equal(kube.count('watch'), 2)
  await put('a', '1')
  await clock.settle()
  assert.equal(told.at(-1), 'added a=1')
  assert.equal(kube.count('list'), 1)
})

test('a dropped connection is resumed from the last version after a short wait, without a list', async (t) => {
  const { clock, kube, west, put, told } = await anInformedScene(t, { seed: 1 })
  await put('a', '1')
  await clock.settle()
  kube.dropWatches()
  await clock.settle()
  await put('a', '2')
  await west.delete('seed-0')
  await clock.advance('199ms')
  assert.equal(told.at(-1), 'added a=1')
  await clock.advance('1ms')
  assert.deepEqual(told.slice(-2), ['updated a=2', 'deleted seed-0=0'])
  assert.deepEqual([kube.count('list'), kube.count('watch')], [1, 2])
})

test('a bookmark moves the point to resume from, so that forgotten history costs no list', async (t) => {
  const { clock, kube, told, west } = await anInformedScene(t)
  await kube.of({ group: '', version: 'v1', kind: 'Other', plural: 'others', namespaced: true }, 'west').create({
    metadata: { name: 'unrelated' },
  })
  kube.bookmark()
  await clock.settle()
  kube.compact()
  kube.dropWatches()
  await west.create({ metadata: { name: 'a' } })
  await clock.advance('1s')
  assert.equal(kube.count('list'), 1)
  assert.deepEqual(told, ['added a=undefined'])
})

test('a connection that is lost 100 times under continuous writes: every last state, one list', async (t) => {
  const scene = await anInformedScene(t, { seed: 10, random: randomFrom(() => 0.5) })
  const { clock, kube, west, put } = scene
  for (let round = 0; round < 100; round++) {
    await put(`seed-${round % 10}`, `${round}`)
    if (round % 7 === 0) await west.delete(`seed-${(round + 3) % 10}`)
    kube.dropWatches()
    await put(`during-${round % 5}`, `${round}`)
    await clock.advance('250ms')
  }
  const { informed, served } = await scene.both()
  never('lost', () => assert.deepEqual(informed, served))
  assert.equal(kube.count('list'), 2, 'one by the informer, one by this test')
  assert.equal(kube.count('watch'), 101)
})

test('while the server is away attempts grow rarer, and it is found again within the longest wait', async (t) => {
  const { clock, kube, put, told } = await anInformedScene(t)
  kube.failNext(1_000, unreachable(), 'watch', 'list')
  kube.dropWatches()
  await clock.advance('10m')
  const tried = kube.count('watch')
  assert.ok(tried > 20 && tried < 35, `${tried} attempts in 10 minutes`)
  assert.equal(kube.count('list'), 1)
  kube.recover()
  await put('a', '1')
  await clock.advance('30s')
  assert.deepEqual(told, ['added a=1'])
})

test('410: everything is listed again and compared, so that missed deletions are told', async (t) => {
  const { clock, kube, west, put, told } = await anInformedScene(t, { seed: 3 })
  kube.dropWatches()
  await west.delete('seed-0')
  await put('seed-1', 'changed')
  await west.delete('seed-2')
  await put('seed-2', 'another one')
  kube.compact()
  told.length = 0
  await clock.advance('1s')
  assert.deepEqual(told, ['deleted seed-0=0', 'updated seed-1=changed', 'deleted seed-2=0', 'added seed-2=another one'])
  assert.equal(kube.count('list'), 2)
})

test('410 in the middle of a watch is the same', async (t) => {
  const scene = await anInformedScene(t, { seed: 3 })
  scene.kube.dropWatches(expired())
  await scene.put('a', '1')
  await scene.clock.advance('1s')
  assert.equal(scene.kube.count('list'), 2)
  assert.equal(scene.told.at(-1), 'added a=1')
})

test('a server that always says 410 is not stormed with lists', async (t) => {
  const { clock, kube } = await anInformedScene(t)
  kube.failNext(1_000, expired(), 'watch')
  kube.dropWatches(expired())
  await clock.advance('10m')
  assert.ok(kube.count('list') <= 30, `${kube.count('list')} lists in 10 minutes`)
  assert.ok(kube.count('watch') <= 30, `${kube.count('watch')} watches in 10 minutes`)
})

test('nor is one whose watches bring an event before they expire', async (t) => {
  const { clock, kube, put } = await anInformedScene(t)
  for (let second = 0; second < 600; second++) {
    await put('busy', `${second}`)
    await clock.advance('500ms')
    kube.dropWatches(expired())
    await clock.advance('500ms')
  }
  assert.ok(kube.count('list') <= 30, `${kube.count('list')} lists in 10 minutes`)
})

test('after a steady watch the next list is waited for only briefly again', async (t) => {
  const { clock, kube } = await anInformedScene(t)
  for (let round = 0; round < 12; round++) {
    kube.dropWatches(expired())
    await clock.advance('40s')
  }
  await clock.advance('2m')
  const lists = kube.count('list')
  kube.dropWatches(expired())
  await clock.advance('200ms')
  assert.equal(kube.count('list'), lists + 1)
})

for (const [code, reason] of [
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
] as const)
  test(`${code} on lists and watches: tried again with growing waits, nothing missed`, async (t) => {
    const scene = await anInformedScene(t, { seed: 2, isStopped: true })
    const { clock, kube, put } = scene
    kube.failNext(5, kubeFailure(code, reason), 'list')
    kube.failNext(5, kubeFailure(code, reason), 'watch')
    void scene.start()
    await clock.advance('3s')
    assert.equal(scene.informed.isSynced, false)
    await clock.advance('4s')
    assert.equal(scene.informed.isSynced, true)
    await put('a', '1')
    await clock.advance('7s')
    assert.deepEqual([kube.count('list'), kube.count('watch')], [6, 6])
    const { informed, served } = await scene.both()
    assert.deepEqual(informed, served)
  })

/** A list of three pages of which the first has come. */
async function betweenPages(t: TestContext) {
  const scene = await anInformedScene(t, { seed: 5, pageSize: 2, isStopped: true })
  scene.kube.delayMs = 1_000
  void scene.start()
  await scene.clock.advance('1500ms')
  scene.kube.delayMs = 0
  return scene
}

test('a continue token that expires between two pages starts the list over, without pages', async (t) => {
  const scene = await betweenPages(t)
  const { clock, kube, west } = scene
  await west.delete('seed-0')
  kube.compact()
  await clock.advance('2s')
  assert.equal(kube.count('list'), 2 + 1)
  const { informed, served } = await scene.both()
  assert.deepEqual(informed, served)
})

test('a list that succeeded is followed by one in pages again', async (t) => {
  const scene = await betweenPages(t)
  const { clock, kube } = scene
  await scene.put('seed-0', '1')
  kube.compact()
  await clock.advance('2s')
  kube.calls.length = 0
  kube.dropWatches(expired())
  await clock.advance('2s')
  assert.equal(kube.count('list'), 3)
})

test('a list without pages that fails as well is followed by one in pages', async (t) => {
  const scene = await betweenPages(t)
  const { clock, kube } = scene
  await scene.put('seed-0', '1')
  kube.compact()
  await clock.advance('600ms')
  kube.calls.length = 0
  kube.failNext(1, kubeFailure(429, 'TooManyRequests'), 'list')
  await clock.advance('5s')
  assert.equal(kube.count('list'), 1 + 3, 'one in one answer, then three pages')
  const { informed, served } = await scene.both()
  assert.deepEqual(informed, served)
})

test('a server that takes 5 seconds for each answer is followed all the same', async (t) => {
  const scene = await anInformedScene(t, { seed: 3, pageSize: 2, isStopped: true })
  scene.kube.delayMs = 5_000
  void scene.start()
  await scene.clock.advance('10s')
  assert.equal(scene.informed.size, 3)
  const written = scene.put('a', '1')
  await scene.clock.advance('10s')
  await written
  assert.equal(scene.told.at(-1), 'added a=1')
  assert.deepEqual([scene.kube.count('list'), scene.kube.count('watch')], [2, 1])
})

test('a half-open connection is given up half a minute after the watch should have ended', async (t) => {
  const { clock, kube, put, told } = await anInformedScene(t)
  kube.stallWatches()
  await put('a', '1')
  await clock.advance('329s')
  assert.deepEqual(told, [])
  await clock.advance('2s')
  assert.deepEqual(told, ['added a=1'])
  assert.deepEqual([kube.count('list'), kube.count('watch')], [1, 2])
})

test('a server that ends every watch at once is not asked in a busy loop', async (t) => {
  const { clock, kube } = await anInformedScene(t, { watchSeconds: 0 })
  await clock.advance('10m')
  assert.ok(kube.count('watch') <= 30, `${kube.count('watch')} watches in 10 minutes`)
  assert.equal(kube.count('list'), 1)
})

test('versions that go back, as after the restore of a backup, lead to a new list', async (t) => {
  const scene = await anInformedScene(t, { seed: 50 })
  const { clock, kube, put } = scene
  kube.restore(30)
  await put('seed-8', 'written since')
  await clock.advance('11s')
  const { informed, served } = await scene.both()
  assert.deepEqual(informed, served)
  assert.equal(scene.informed.size, 29)
})

test('an event of an older version, from a server that does not withhold it, leads to a new list as well', async (t) => {
  const clock = new FakeClock()
  let lists = 0
  const source = {
    async *pages() {
      lists += 1
      yield { metadata: { resourceVersion: '10' }, items: [] }
    },
    async *watch() {
      yield { type: 'BOOKMARK' as const, resourceVersion: '9', initialEventsEnd: false }
    },
  }
  const informed = informer(source, { clock, random: randomFrom(() => 0), log: silentLog })
  const stop = new AbortController()
  t.after(() => stop.abort())
  void informed.run(stop.signal)
  await clock.advance('200ms')
  assert.equal(lists, 2)
})

test('a resumed watch that hears nothing is checked by one small list, until the connection is lost again', async (t) => {
  const { clock, kube, informed } = await anInformedScene(t, { seed: 50 })
  for (const lost of [1, 2]) {
    kube.dropWatches()
    await clock.advance('10s')
    assert.equal(kube.count('list'), lost)
    await clock.advance('15m')
    assert.equal(kube.count('list'), lost + 1)
  }
  assert.equal(informed.size, 50)
})

test('a resumed watch that hears of something needs no check', async (t) => {
  const { clock, kube, put } = await anInformedScene(t)
  kube.dropWatches()
  await clock.advance('1s')
  await put('a', '1')
  await clock.advance('15m')
  assert.equal(kube.count('list'), 1)
})

test('a check that fails is made again by the next watch', async (t) => {
  const scene = await anInformedScene(t, { seed: 5 })
  const { clock, kube } = scene
  kube.restore(3)
  kube.failNext(1, kubeFailure(503, 'ServiceUnavailable'), 'list')
  await clock.advance('11s')
  assert.equal(scene.informed.size, 5)
  await clock.advance('310s')
  assert.equal(scene.informed.size, 2)
})

for (const [what, error, levels] of [
  [
    'that is refused is warned of at once',
    kubeFailure(403, 'Forbidden'),
    ['info', 'warn', 'warn', 'warn', 'warn', 'warn'],
  ],
  [
    'that is only lost is warned of from the fifth time on',
    unreachable(),
    ['info', 'info', 'info', 'info', 'warn', 'warn'],
  ],
] as const)
  test(`a watch ${what}`, async (t) => {
    const told: string[] = []
    const tell = (level: string) => (_: object, message: string) => message === 'watch dropped' && told.push(level)
    const log = { ...silentLog, info: tell('info'), warn: tell('warn') } as unknown as Log
    const { clock, kube } = await anInformedScene(t, { log })
    kube.failNext(5, error, 'watch')
    kube.dropWatches()
    await clock.advance('1m')
    assert.deepEqual(told, levels)
  })

type Fault = 'drop' | 'end' | 'expire' | 'compact' | 'bookmark' | 'fail' | 'slow' | 'fast' | 'none'
const aFault = fc.constantFrom<Fault>('drop', 'end', 'expire', 'compact', 'bookmark', 'fail', 'slow', 'fast', 'none')
const aRound = fc.record({
  fault: aFault,
  name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  isDelete: fc.boolean(),
  waitMs: fc.constantFrom(0, 50, 250, 2_000, 90_000),
})

test('whatever fails, whenever: no last state is missed and no object goes back in time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aRound, { maxLength: 40, size: 'max' }), fc.nat(6), async (rounds, historyLength) => {
      const cleanUp: (() => unknown)[] = []
      const scene = await anInformedScene(
        { after: (action) => cleanUp.push(action as () => unknown) },
        { historyLength },
      )
      const { clock, kube, west, put } = scene
      const problems: string[] = []
      let value = 0
      const mirror = new Map<string, number>()
      scene.informed.on(({ type, object: { metadata } }) => {
        const version = Number(metadata.resourceVersion)
        const known = mirror.get(metadata.name)
        if ((type === 'added') !== (known === undefined)) problems.push(`${type} ${metadata.name}`)
        if (known && version < known) problems.push(`${metadata.name} went back`)
        if (type === 'deleted') mirror.delete(metadata.name)
        else mirror.set(metadata.name, version)
      })
      const act: Record<Fault, () => void> = {
        drop: () => kube.dropWatches(),
        end: () => kube.endWatches(),
        expire: () => kube.dropWatches(expired()),
        compact: () => kube.compact(),
        bookmark: () => kube.bookmark(),
        fail: () => kube.failNext(3, unreachable(), 'list', 'watch'),
        slow: () => {
          kube.delayMs = 700
        },
        fast: () => {
          kube.delayMs = 0
        },
        none: () => {},
      }
      for (const { fault, name, isDelete, waitMs } of rounds) {
        act[fault]()
        const { delayMs } = kube
        kube.delayMs = 0
        await (isDelete ? west.delete(name) : put(name, `${value++}`))
        kube.delayMs = delayMs
        await clock.advance(waitMs)
      }
      kube.delayMs = 0
      await clock.advance('10m')
      const { informed, served } = await scene.both()
      assert.deepEqual(informed, served)
      assert.deepEqual(problems, [])
      const mirrored = [...mirror].map(([name, version]) => [`west/${name}`, `${version}`]).sort()
      assert.deepEqual(Object.fromEntries(mirrored), versionsOf(scene.informed.list()))
      for (const action of cleanUp) await action()
    }),
    { numRuns: 60 },
  )
})

test('a kind that is not served is logged once, asked for again, and taken up when it comes; also one that goes later', async (t) => {
  const lines: string[] = []
  const record = (_: object, message: string) => void lines.push(message)
  const log = { ...silentLog, warn: record, info: record } as Log
  const { clock, kube, put, told } = await anInformedScene(t, { log, isStopped: true }).then((scene) => {
    scene.kube.failNext(20, kubeFailure(404, 'NotFound'), 'list')
    scene.start()
    return scene
  })
  await clock.advance('2m')
  assert.deepEqual(lines, ['the kind is not served; it is asked for again'])
  assert.ok(kube.count('list') > 5)
  kube.recover()
  await clock.advance('30s')
  assert.deepEqual(lines.splice(0), ['the kind is not served; it is asked for again', 'the kind is served now'])
  await put('a', '1')
  await clock.settle()
  assert.equal(told.at(-1), 'added a=1')

  kube.failNext(20, kubeFailure(404, 'NotFound'), 'list')
  kube.dropWatches(kubeFailure(404, 'NotFound'))
  await clock.advance('2m')
  assert.deepEqual(lines, ['watch expired', 'the kind is not served; it is asked for again'])
  kube.recover()
  await clock.advance('30s')
  assert.equal(lines.at(-1), 'the kind is served now')
})
