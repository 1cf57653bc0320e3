import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestScope } from '../../../test/support/test-scope.ts'
import type { ApiObject } from '../objects.ts'
import { fresh } from '../storage/reading.ts'
import type { Entry, Store } from '../storage/store.ts'
import { changeObject } from './change.ts'
import { createObject } from './create.ts'
import { parametersOf, racing, refusal, writeScene } from './testing/scene.ts'

async function scene(t: TestScope, metadata: ApiObject['metadata'] = {}) {
  const written = writeScene(t)
  const { deps, store, call } = written
  const made = await createObject(
    deps,
    call('v1', 'ConfigMap', ''),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata }, data: { count: '0' } },
    parametersOf('', 'CreateOptions'),
  )
  /** As another client would, past everything. */
  const meddle = async (change: (object: ApiObject) => void) => {
    const entry = store.get('configmaps', 'home', 'a') as Entry
    const object = fresh(entry)
    change(object)
    return store.write({ storage: 'configmaps', namespace: 'home', name: 'a', follows: entry.revision, object })
  }
  return {
    ...written,
    ...{ made, meddle },
    /** A patch that counts on. */
    count: (on: Store = store, more: object = {}) =>
      changeObject({ ...deps, store: on }, call('v1', 'ConfigMap', 'a'), {
        ...parametersOf('', 'PatchOptions'),
        isPut: false,
        async propose(current) {
          const { count = '0' } = current['data'] as { count?: string }
          return { object: { ...current, data: { count: String(Number(count) + 1) }, ...more }, isApplied: false }
        },
      }),
    put: (object: ApiObject, query = '', on: Store = store) =>
      changeObject({ ...deps, store: on }, call('v1', 'ConfigMap', 'a'), {
        ...parametersOf(query),
        isPut: true,
        propose: async () => ({ object: structuredClone(object), isApplied: false }),
      }),
  }
}

const conflict =
  '409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again'

const touch = (object: ApiObject) => {
  object.metadata.labels = { touched: String(Number(object.metadata.labels?.['touched'] ?? 0) + 1) }
}

test('parallel changes of one object are made once each, one after the other', async (t) => {
  const { deps, call, found } = await scene(t)
  let proposed = 0
  const change = () =>
    changeObject(deps, call('v1', 'ConfigMap', 'a'), {
      ...parametersOf('', 'PatchOptions'),
      isPut: false,
      async propose(current) {
        proposed += 1
        const { count = '0' } = current['data'] as { count?: string }
        return { object: { ...current, data: { count: String(Number(count) + 1) } }, isApplied: false }
      },
    })
  await Promise.all(Array.from({ length: 30 }, change))
  assert.deepEqual([found('configmaps', 'a')?.['data'], proposed], [{ count: '30' }, 30])
})

test('a webhook that changes the object before it answers is not waited for by its own change', async (t) => {
  const { deps, count, call } = await scene(t)
  let isAsked = false
  const admission: typeof deps.admission = {
    ...deps.admission,
    asksWebhooks: () => true,
    async mutate({ object }) {
      if (!isAsked) {
        isAsked = true
        await count()
      }
      return object
    },
  }
  const changed = await changeObject({ ...deps, admission }, call('v1', 'ConfigMap', 'a'), {
    ...parametersOf('', 'PatchOptions'),
    isPut: false,
    async propose(current) {
      return { object: { ...current, metadata: { ...current.metadata, labels: { a: 'b' } } }, isApplied: false }
    },
  })
  assert.deepEqual([changed['data'], changed.metadata.labels], [{ count: '1' }, { a: 'b' }])
})

test('a change that somebody gets in the way of is made on top of theirs', async (t) => {
  const { store, count, meddle } = await scene(t)
  let races = 3
  const changed = await count(racing(store, async () => races-- > 0 && meddle(touch)))
  assert.deepEqual([changed['data'], changed.metadata.labels], [{ count: '1' }, { touched: '3' }])
})

test('somebody who is always slower gives up in the end', async (t) => {
  const { store, count, meddle } = await scene(t)
  let races = 0
  const losing = racing(store, () => {
    races++
    return meddle(touch)
  })
  assert.deepEqual([await refusal(count(losing)), races], [conflict, 6])
})

test('many that count at once lose nothing', async (t) => {
  const { count, found } = await scene(t)
  await Promise.all(Array.from({ length: 15 }, () => count()))
  assert.deepEqual(found('configmaps', 'a')?.['data'], { count: '15' })
})

test('a client that names a version is told when it is not the present one, also when that comes late', async (t) => {
  const { store, put, meddle, made } = await scene(t)
  let races = 1
  const late = racing(store, async () => races-- > 0 && meddle(touch))
  assert.equal(await refusal(put({ ...made, data: { count: '5' } }, '', late)), conflict)
  assert.equal(await refusal(put({ ...made, data: { count: '5' } })), conflict)
  const unnamed = { ...made, metadata: { name: 'a' }, data: { count: '5' } }
  assert.deepEqual((await put(unnamed))['data'], { count: '5' })
  races = 1
  assert.deepEqual((await put({ ...unnamed, data: { count: '6' } }, '', late))['data'], { count: '6' })
})

test('what is deleted in between is not found', async (t) => {
  const { store, count, made } = await scene(t)
  const place = { storage: 'configmaps', namespace: 'home', name: 'a' }
  const follows = Number(made.metadata.resourceVersion)
  const gone = racing(store, () => store.write({ ...place, follows, object: undefined }))
  assert.equal(await refusal(count(gone)), '404 NotFound: configmaps "a" not found')
  assert.equal(await refusal(count()), '404 NotFound: configmaps "a" not found')
})

test('what changes nothing is not written', async (t) => {
  const { store, put, made } = await scene(t)
  const same = await put(made)
  assert.deepEqual([same.metadata.resourceVersion, store.revision], [made.metadata.resourceVersion, 1])
})

test('a dry run shows what would be, and keeps what is', async (t) => {
  const { store, put, made } = await scene(t)
  const shown = await put({ ...made, data: { count: '9' } }, 'dryRun=All')
  assert.deepEqual([shown['data'], store.revision], [{ count: '9' }, 1])
})

test('what is the server’s in metadata stays as it is', async (t) => {
  const { put, made } = await scene(t)
  const { uid, creationTimestamp } = made.metadata
  const changed = await put({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { count: '2' } },
    metadata: { name: 'a', creationTimestamp: '1999-01-01T00:00:00Z', generation: 9, selfLink: '/x' },
  })
  const { metadata } = changed
  assert.deepEqual([metadata.uid, metadata.creationTimestamp], [uid, creationTimestamp])
  assert.deepEqual(
    [metadata.generation, metadata.selfLink, metadata.deletionTimestamp],
    [undefined, undefined, undefined],
  )
})

test('another object under the same name is not overwritten', async (t) => {
  const { put, made } = await scene(t)
  const other = { ...made, metadata: { name: 'a', uid: 'another' }, data: { count: '2' } }
  assert.match(await refusal(put(other)), /^409 Conflict: .*UID in precondition: another, UID in object meta: /)
})

test('the last finalizer that goes takes an object with it that is being deleted', async (t) => {
  const { put, meddle, store, found } = await scene(t, { finalizers: ['example.com/one', 'example.com/two'] })
  await meddle(({ metadata }) => {
    metadata.deletionTimestamp = '2026-01-01T00:00:00Z'
    metadata.deletionGracePeriodSeconds = 0
  })
  const deleting = found('configmaps', 'a') as ApiObject
  const one = await put({ ...deleting, metadata: { ...deleting.metadata, finalizers: ['example.com/two'] } })
  assert.deepEqual(one.metadata.finalizers, ['example.com/two'])
  const { finalizers: _, ...metadata } = one.metadata
  await put({ ...one, metadata })
  assert.equal(store.get('configmaps', 'home', 'a'), undefined)
})

test('a deletion that has begun cannot be taken back', async (t) => {
  const { put, meddle, found } = await scene(t, { finalizers: ['example.com/one'] })
  await meddle(({ metadata }) => {
    metadata.deletionTimestamp = '2026-01-01T00:00:00Z'
  })
  const { metadata, ...rest } = found('configmaps', 'a') as ApiObject
  const { deletionTimestamp: _, ...without } = metadata
  const changed = await put({ ...rest, metadata: { ...without, labels: { a: 'b' } } })
  assert.equal(changed.metadata.deletionTimestamp, '2026-01-01T00:00:00Z')
  const added = { ...changed, metadata: { ...changed.metadata, finalizers: ['example.com/one', 'example.com/new'] } }
  assert.match(await refusal(put(added)), /^422 Invalid: .*metadata\.finalizers/)
})

test('a PUT has to name a version where the kind says so', async (t) => {
  const { deps, call } = await scene(t)
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec: {} }
  const at = call('coordination.k8s.io/v1', 'Lease', 'l')
  await createObject(deps, { ...at, name: '' }, structuredClone(lease), parametersOf('', 'CreateOptions'))
  const change = changeObject(deps, at, {
    ...parametersOf(''),
    isPut: true,
    propose: async () => ({ object: structuredClone(lease), isApplied: false }),
  })
  assert.match(await refusal(change), /metadata\.resourceVersion: Invalid value: 0: must be specified for an update$/)
})
