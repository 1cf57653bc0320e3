import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject, Stored } from './objects.ts'
import { Store } from './store.ts'

interface Thing extends KubeObject {
  owners?: string[]
}

const aThing = (name: string, version: number, more: { uid?: string; owners?: string[] } = {}): Stored<Thing> => ({
  metadata: { namespace: 'west', name, uid: more.uid ?? `uid-${name}`, resourceVersion: `${version}` },
  owners: more.owners ?? [],
})

const aStore = (...things: Stored<Thing>[]) => {
  const store = new Store<Thing, 'owner'>({ owner: ({ owners = [] }) => owners })
  store.replace(things)
  return store
}
const names = (things: Stored<Thing>[]) => things.map(({ metadata }) => metadata.name).sort()

test('an object is added, updated and deleted, with what was known before', () => {
  const store = aStore()
  const [first, second, last] = [aThing('a', 1), aThing('a', 2), aThing('a', 3)]
  assert.deepEqual(store.put(first), [{ type: 'added', object: first }])
  assert.deepEqual(store.put(second), [{ type: 'updated', object: second, previous: first }])
  assert.equal(store.get('west/a'), second)
  assert.deepEqual(store.remove('west/a', last), [{ type: 'deleted', object: last }])
  assert.equal(store.size, 0)
})

test('a deletion without a last state reports the last one known', () => {
  const known = aThing('a', 1)
  assert.deepEqual(aStore(known).remove('west/a'), [{ type: 'deleted', object: known }])
})

test('the same version again and the deletion of something unknown are no changes', () => {
  const store = aStore(aThing('a', 1))
  assert.deepEqual(store.put(aThing('a', 1)), [])
  assert.deepEqual(store.remove('west/b'), [])
})

test('a new object under an old name is a deletion and an addition', () => {
  const old = aThing('a', 1, { owners: ['x'] })
  const store = aStore(old)
  const fresh = aThing('a', 9, { uid: 'another' })
  assert.deepEqual(store.put(fresh), [
    { type: 'deleted', object: old },
    { type: 'added', object: fresh },
  ])
  assert.deepEqual(store.byIndex('owner', 'x'), [])
})

test('replacing tells exactly the difference, deletions first', () => {
  const store = aStore(aThing('gone', 1), aThing('same', 2), aThing('changed', 3))
  const changes = store.replace([aThing('changed', 5), aThing('same', 2), aThing('new', 4)])
  assert.deepEqual(
    changes.map(({ type, object }) => [type, object.metadata.name]),
    [
      ['deleted', 'gone'],
      ['updated', 'changed'],
      ['added', 'new'],
    ],
  )
  assert.deepEqual(names(store.list()), ['changed', 'new', 'same'])
})

test('an index follows an object whose values change and forgets one that is gone', () => {
  const store = aStore(aThing('a', 1, { owners: ['x', 'y'] }), aThing('b', 2, { owners: ['y'] }))
  assert.deepEqual(names(store.byIndex('owner', 'y')), ['a', 'b'])
  store.put(aThing('a', 3, { owners: ['z'] }))
  assert.deepEqual(names(store.byIndex('owner', 'x')), [])
  assert.deepEqual(names(store.byIndex('owner', 'y')), ['b'])
  assert.deepEqual(names(store.byIndex('owner', 'z')), ['a'])
  store.remove('west/a')
  assert.deepEqual(store.byIndex('owner', 'z'), [])
})

test('to ask for an index that was not declared is an error', () => {
  // @ts-expect-error the type refuses it as well
  assert.throws(() => aStore().byIndex('colour', 'red'), /no index colour/)
})
