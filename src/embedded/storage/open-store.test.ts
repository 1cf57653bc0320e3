import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { teardown } from '../../../test/support/test-scope.ts'
import { createLog } from '../../core/log.ts'
import type { StoreOptions } from './open-store.ts'
import type { Change, Store } from './store.ts'
import { StaleWrite, StorageFailure } from './store.ts'
import { aWrite, openIn, put, storedValue, told } from './testing/stores.ts'

function open(t: TestContext, options: Partial<StoreOptions> = {}): { store: Store; dir: string } {
  const dir = options.dir ?? tempDir(t)
  const store = openIn(dir, options)
  teardown(t, () => store.close())
  return { store, dir }
}

const isFull = (error: unknown) => error instanceof StorageFailure && error.isFull
const summary = ({ type, revision, entry, before }: Change) =>
  `${type} ${entry.name}=${storedValue(entry)} ${revision} after ${before?.revision}`

test('a write is there once it is acknowledged, not before', async (t) => {
  const clock = new FakeClock()
  const { store } = open(t, { clock })
  const writing = store.write(aWrite('a', '1'))
  assert.deepEqual([store.get('configmaps', 'default', 'a'), store.revision], [undefined, 0])
  const entry = await writing
  assert.equal(store.get('configmaps', 'default', 'a'), entry)
  assert.deepEqual(told([entry]), ['default/a=1@1'])
  assert.equal(entry.writtenAt, clock.now().getTime())
  assert.equal(JSON.parse(entry.text).metadata.resourceVersion, '1')
  assert.deepEqual([store.revision, store.count('configmaps'), store.count('secrets')], [1, 1, 0])
})

test('what was queued together is told to subscribers in one go, in order and before the writers', async (t) => {
  const { store } = open(t)
  const heard: string[] = []
  using _broken = store.subscribe(() => assert.fail('on purpose'))
  const subscription = store.subscribe((changes) => {
    heard.push(changes.map(summary).join(', '))
    assert.ok(store.get('configmaps', 'default', 'b'))
  })
  const writers = ['a', 'b'].map((name) => store.write(aWrite(name, '1')).then(() => heard.push(`${name} is told`)))
  await Promise.all(writers)
  subscription[Symbol.dispose]()
  await put(store, 'c', '1')
  assert.deepEqual(heard, ['ADDED a=1 1 after undefined, ADDED b=1 2 after undefined', 'a is told', 'b is told'])
})

test('of two that follow the same state one wins, and the other learns of it; the rest is not harmed', async (t) => {
  const { store } = open(t)
  const { revision } = await put(store, 'a', '1')
  const results = await Promise.allSettled([
    store.write(aWrite('a', 'mine', revision)),
    store.write(aWrite('a', 'yours', revision)),
    store.write(aWrite('b', '1')),
  ])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  const [, lost] = results
  assert.ok(lost?.status === 'rejected' && lost.reason instanceof StaleWrite)
  assert.equal(storedValue(lost.reason.current), 'mine')
  assert.equal(store.revision, 3)
})

test('one global revision counts the changes of all storages', async (t) => {
  const { store } = open(t)
  await put(store, 'a', '1')
  await put(store, 'a', '1', { storage: 'leases.coordination.k8s.io' })
  const { revision } = await put(store, 'a', '2')
  assert.equal(revision, 3)
  assert.deepEqual((store.changesSince(1) ?? []).map(summary), [
    'ADDED a=1 2 after undefined',
    'MODIFIED a=2 3 after 1',
  ])
  assert.deepEqual((store.changesSince(0, 'configmaps') ?? []).map(summary), [
    'ADDED a=1 1 after undefined',
    'MODIFIED a=2 3 after 1',
  ])
  assert.deepEqual([store.changesSince(3), store.changesSince(0, 'secrets')], [[], []])
})

test('lists in the order of keys, of one namespace or all, in pages that say how much is left', async (t) => {
  const { store } = open(t)
  const keys = ['b/x', 'a/y', 'a-b/z', 'a/x', 'a/x-1', '/cluster']
  for (const key of keys) {
    const [namespace = '', name = ''] = key.split('/')
    await put(store, name, '1', { namespace })
  }
  const list = (query = {}) => {
    const { entries, remaining } = store.list('configmaps', query)
    return [...entries.map(({ namespace, name }) => `${namespace}/${name}`), remaining]
  }
  assert.deepEqual(list(), ['/cluster', 'a-b/z', 'a/x', 'a/x-1', 'a/y', 'b/x', 0])
  assert.deepEqual(list({ namespace: 'a' }), ['a/x', 'a/x-1', 'a/y', 0])
  assert.deepEqual(list({ namespace: 'a', limit: 2 }), ['a/x', 'a/x-1', 1])
  assert.deepEqual(list({ namespace: 'a', after: 'a/x' }), ['a/x-1', 'a/y', 0])
  assert.deepEqual(list({ after: 'a-b/z', limit: 3 }), ['a/x', 'a/x-1', 'a/y', 1])
  assert.deepEqual(list({ after: 'a/x-0' }), ['a/x-1', 'a/y', 'b/x', 0])
  assert.deepEqual(list({ after: 'aa/x' }), ['b/x', 0])
  assert.deepEqual(list({ namespace: 'a', after: 'b/x' }), [0])
  assert.deepEqual(list({ namespace: 'none' }), [0])
  assert.deepEqual(store.list('none'), { entries: [], remaining: 0, revision: 6 })
})

test('a list as of an earlier revision shows what was there then, also what is gone by now', async (t) => {
  const { store } = open(t)
  await put(store, 'a', '1')
  await put(store, 'b', '1')
  await put(store, 'only', '1', { namespace: 'gone' })
  await put(store, 'a', '2')
  await put(store, 'b', undefined)
  await put(store, 'only', undefined, { namespace: 'gone' })
  await put(store, 'c', '1')
  await put(store, 'b', '2')
  const at = (revision: number, query = {}) => told(store.list('configmaps', { at: revision, ...query }).entries)
  assert.deepEqual(at(0), [])
  assert.deepEqual(at(3), ['default/a=1@1', 'default/b=1@2', 'gone/only=1@3'])
  assert.deepEqual(at(5), ['default/a=2@4', 'gone/only=1@3'])
  assert.deepEqual(at(8), ['default/a=2@4', 'default/b=2@8', 'default/c=1@7'])
  assert.deepEqual(at(99), at(8))
  assert.deepEqual(at(3, { after: 'default/a', limit: 1 }), ['default/b=1@2'])
  assert.deepEqual(store.list('configmaps', { at: 3, limit: 1, namespace: 'default' }).remaining, 1)
  assert.equal(store.list('configmaps', { at: 3 }).revision, 3)
})

test('the history has an end: what is older is forgotten, in memory and on disk', async (t) => {
  const { store, dir } = open(t, { historyLimit: 10 })
  for (let value = 1; value <= 600; value++) await put(store, 'a', String(value))
  assert.equal(store.oldestRevision, 590)
  assert.equal(store.changesSince(589), undefined)
  assert.equal(store.changesSince(590)?.length, 10)
  assert.throws(() => store.list('configmaps', { at: 589 }), RangeError)
  assert.deepEqual(told(store.list('configmaps', { at: 590 }).entries), ['default/a=590@590'])
  await store.close()
  const again = openIn(dir, { historyLimit: 10_000 })
  t.after(() => again.close())
  assert.ok(again.oldestRevision > 250, `rows were swept, so the history begins at ${again.oldestRevision}`)
  assert.deepEqual(told(again.list('configmaps').entries), ['default/a=600@600'])
})

test('what is swept from the disk is not missed, and does not come together without end', async (t) => {
  const { store, dir } = open(t, { historyLimit: 50 })
  for (let round = 0; round < 60; round++)
    await Promise.all(
      Array.from({ length: 40 }, async (_, key) => {
        const isThere = store.get('configmaps', 'default', `c-${key}`) !== undefined
        const isToGo = isThere && (round * 7 + key * 3) % 5 === 0
        await put(store, `c-${key}`, isToGo ? undefined : `${round}`)
      }),
    )
  const all = (here: Store) =>
    Array.from({ length: 51 }, (_, i) => [
      told(here.list('configmaps', { at: here.revision - i }).entries),
      here.changesSince(here.revision - i)?.map(summary),
    ])
  const before = all(store)
  await store.close()
  const database = new DatabaseSync(join(dir, 'state.db'))
  const rows = Number(database.prepare('SELECT count(*) AS rows FROM change').get()?.['rows'])
  database.close()
  assert.ok(rows < 40 + 50 + 256 + 80, `${rows} rows are left of 2,400`)
  const { store: again } = open(t, { dir, historyLimit: 50 })
  assert.deepEqual(all(again), before)
})

test('E3: watchers resume across a restart, and no revision is used again', async (t) => {
  const { store, dir } = open(t, { historyLimit: 3 })
  for (const name of ['a', 'b', 'c', 'd']) await put(store, name, '1')
  await put(store, 'd', undefined)
  const before = store.changesSince(2)?.map(summary)
  await store.close()
  const { store: again } = open(t, { dir, historyLimit: 3 })
  assert.deepEqual([again.revision, again.oldestRevision], [5, 2])
  assert.deepEqual(again.changesSince(2)?.map(summary), before)
  assert.equal(again.changesSince(1), undefined)
  assert.equal((await put(again, 'e', '1')).revision, 6)
})

test('the history can be made to begin here, for good, even where the last change was a deletion', async (t) => {
  const { store, dir } = open(t)
  await put(store, 'a', '1')
  await put(store, 'b', '1')
  await put(store, 'b', undefined)
  await store.forgetHistory()
  const assertBegins = (here: Store) => {
    assert.deepEqual([here.revision, here.oldestRevision], [3, 3])
    assert.equal(here.changesSince(2), undefined)
    assert.deepEqual(here.changesSince(3), [])
    assert.deepEqual(told(here.list('configmaps').entries), ['default/a=1@1'])
  }
  assertBegins(store)
  await store.close()
  const { store: again } = open(t, { dir })
  assertBegins(again)
  assert.equal((await put(again, 'c', '1')).revision, 4)
})

test('when the disk is full, writes are refused as a whole, reads go on, and what fits is taken again', async (t) => {
  const lines: string[] = []
  const { store, dir } = open(t, {
    maxPages: 12,
    log: createLog({ destination: { write: (line) => lines.push(line) } }),
  })
  const heard: string[] = []
  using _subscription = store.subscribe((changes) => heard.push(...changes.map(summary)))
  await put(store, 'small', '1')
  const large = 'x'.repeat(60_000)
  const results = await Promise.allSettled([store.write(aWrite('tiny', '1')), store.write(aWrite('large', large))])
  assert.ok(results.every((result) => result.status === 'rejected' && isFull(result.reason)))
  await assert.rejects(put(store, 'large', large), isFull)
  assert.deepEqual(told(store.list('configmaps').entries), ['default/small=1@1'])
  assert.deepEqual([store.revision, heard.length], [1, 1])
  const next = await put(store, 'tiny', '1')
  assert.ok(next.revision > 1)
  await store.close()
  const { store: again } = open(t, { dir })
  assert.deepEqual(told(again.list('configmaps').entries), ['default/small=1@1', `default/tiny=1@${next.revision}`])
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['writes fail, reads go on', 'writes work again'],
  )
})

test('a write that was never synced did not happen, and what comes after it is as safe as ever', async (t) => {
  let isBroken = false
  const sync = async () => {
    if (isBroken) throw Object.assign(new Error('i/o error'), { code: 'EIO' })
  }
  const { store, dir } = open(t, { sync })
  await put(store, 'a', '1')
  isBroken = true
  const failure = (error: unknown) => error instanceof StorageFailure && !error.isFull
  await assert.rejects(put(store, 'a', '2'), failure)
  await assert.rejects(put(store, 'b', '1'), failure)
  await assert.rejects(store.forgetHistory(), failure)
  assert.deepEqual(told(store.list('configmaps').entries), ['default/a=1@1'])
  isBroken = false
  const { revision } = await put(store, 'c', '1')
  await store.close()
  const { store: again } = open(t, { dir })
  assert.deepEqual(told(again.list('configmaps').entries), ['default/a=1@1', `default/c=1@${revision}`])
})

test('a write that was never synced does not come back with a restart', async (t) => {
  const { store, dir } = open(t, { sync: () => Promise.reject(new Error('i/o error')) })
  await assert.rejects(put(store, 'a', '1'), StorageFailure)
  await store.close()
  const { store: again } = open(t, { dir })
  assert.equal(again.count('configmaps'), 0)
})

test('closing waits for what is being written, and refuses what comes later', async (t) => {
  const { store, dir } = open(t)
  const writing = store.write(aWrite('a', '1'))
  const closing = store.close()
  await assert.rejects(store.write(aWrite('b', '1')), StorageFailure)
  await Promise.all([writing, closing, store.close()])
  const { store: again } = open(t, { dir })
  assert.deepEqual(told(again.list('configmaps').entries), ['default/a=1@1'])
})

test('E3: everything in the folder is for its owner alone', async (t) => {
  const { store, dir } = open(t, { dir: join(tempDir(t), 'new', 'data') })
  await put(store, 'a', '1')
  const modes = Object.fromEntries(readdirSync(dir).map((file) => [file, statSync(join(dir, file)).mode & 0o777]))
  assert.equal(statSync(dir).mode & 0o777, 0o700)
  assert.deepEqual(modes, { 'lock.db': 0o600, 'state.db': 0o600, 'state.db-open': 0o600, 'state.db-wal': 0o600 })
})
