import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestScope } from '../../../test/support/test-scope.ts'
import type { ApiObject } from '../objects.ts'
import { ApiFailure } from '../status.ts'
import { fresh } from '../storage/reading.ts'
import type { Entry, Store } from '../storage/store.ts'
import { createObject } from './create.ts'
import type { DeleteOptions } from './delete.ts'
import { checkDeleteOptions, deleteObject, goneStatus } from './delete.ts'
import { parametersOf, racing, refusal, writeScene } from './testing/scene.ts'

async function scene(t: TestScope, metadata: ApiObject['metadata'] = {}, kind = 'ConfigMap', rest: object = {}) {
  const written = writeScene(t)
  const { deps, store, call } = written
  const object = { apiVersion: 'v1', kind, metadata: { name: 'a', ...metadata }, ...rest }
  const made = await createObject(deps, call('v1', kind, ''), object, parametersOf('', 'CreateOptions'))
  const storage = `${kind.toLowerCase()}s`
  return {
    ...written,
    ...{ made, storage },
    remove: (options: DeleteOptions = {}, on: Store = store) =>
      deleteObject({ ...deps, store: on }, call('v1', kind, 'a'), options),
    isThere: () => store.get(storage, call('v1', kind, 'a').namespace, 'a') !== undefined,
  }
}

test('what nothing keeps is gone, and the answer is its last state', async (t) => {
  const { remove, isThere, made, call } = await scene(t)
  const { isGone, object } = await remove()
  assert.deepEqual([isGone, isThere(), object.metadata.resourceVersion], [true, false, '2'])
  assert.deepEqual(goneStatus(call('v1', 'ConfigMap', 'a'), object), {
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' },
    details: { name: 'a', kind: 'configmaps', uid: made.metadata.uid },
  })
  assert.equal(await refusal(remove()), '404 NotFound: configmaps "a" not found')
})

test('a finalizer keeps it, marked once', async (t) => {
  const { remove, isThere, clock, store } = await scene(t, { finalizers: ['example.com/f'] })
  const { isGone, object } = await remove()
  assert.deepEqual([isGone, isThere()], [false, true])
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata
  assert.deepEqual(
    [deletionTimestamp, deletionGracePeriodSeconds, finalizers],
    [...['2026-01-01T00:00:00Z', 0, ['example.com/f']]],
  )
  await clock.advance('1h')
  const again = await remove()
  assert.deepEqual([again.object, store.revision], [object, 2])
})

test('generation moves when a deletion begins', async (t) => {
  const { store, call, deps, remove } = await scene(t, { finalizers: ['example.com/f'] })
  const entry = store.get('configmaps', 'home', 'a') as Entry
  const object = fresh(entry)
  object.metadata.generation = 3
  await store.write({ ...entry, follows: entry.revision, object })
  assert.equal((await remove()).object.metadata.generation, 4)
  assert.equal((await deleteObject(deps, call('v1', 'ConfigMap', 'a'), {})).object.metadata.generation, 4)
})

test('how dependents are to fare is written down for the garbage collector', async (t) => {
  const finalizersWith = async (options: DeleteOptions, present: string[] = []) => {
    const { remove } = await scene(t, { finalizers: present })
    const { isGone, object } = await remove(options)
    return isGone ? 'gone' : (object.metadata.finalizers ?? []).join(' ')
  }
  assert.equal(await finalizersWith({ propagationPolicy: 'Orphan' }), 'orphan')
  assert.equal(await finalizersWith({ orphanDependents: true }), 'orphan')
  assert.equal(await finalizersWith({ propagationPolicy: 'Foreground' }), 'foregroundDeletion')
  assert.equal(await finalizersWith({ propagationPolicy: 'Background' }), 'gone')
  assert.equal(await finalizersWith({ orphanDependents: false }), 'gone')
  assert.equal(await finalizersWith({ propagationPolicy: 'Foreground' }, ['x.y/z']), 'x.y/z foregroundDeletion')
  assert.equal(await finalizersWith({ propagationPolicy: 'Background' }, ['orphan']), 'gone')
  assert.equal(
    await finalizersWith({ propagationPolicy: 'Foreground' }, ['orphan', 'x.y/z']),
    'x.y/z foregroundDeletion',
  )
  assert.equal(await finalizersWith({}, ['foregroundDeletion']), 'foregroundDeletion')
})

test('a dry run deletes nothing and marks nothing', async (t) => {
  for (const finalizers of [[], ['example.com/f']]) {
    const { remove, store } = await scene(t, { finalizers })
    const { isGone } = await remove({ dryRun: ['All'] })
    assert.deepEqual([isGone, store.revision], [finalizers.length === 0, 1])
  }
})

test('preconditions hold when it is deleted, not only when it is looked at', async (t) => {
  const { remove, store, made } = await scene(t)
  const { uid = '', resourceVersion = '' } = made.metadata
  const bump = async () => {
    const entry = store.get('configmaps', 'home', 'a') as Entry
    return store.write({
      ...entry,
      follows: entry.revision,
      object: { ...fresh(entry), data: { n: String(entry.revision) } },
    })
  }
  assert.match(
    await refusal(remove({ preconditions: { uid: 'another' } })),
    /^409 Conflict: .*the UID in the precondition \(another\)/,
  )
  let races = 1
  const late = racing(store, async () => races-- > 0 && bump())
  assert.match(
    await refusal(remove({ preconditions: { uid, resourceVersion } }, late)),
    /the ResourceVersion in the precondition \(1\) does not match the ResourceVersion in record \(2\)/,
  )
  races = 1
  assert.equal((await remove({ preconditions: { uid } }, late)).isGone, true)
})

test('somebody who is always slower gives up in the end', async (t) => {
  const { remove, store } = await scene(t)
  const bump = async () => {
    const entry = store.get('configmaps', 'home', 'a') as Entry
    return store.write({
      ...entry,
      follows: entry.revision,
      object: { ...fresh(entry), data: { n: String(entry.revision) } },
    })
  }
  assert.match(await refusal(remove({}, racing(store, bump))), /^409 Conflict: .*please apply your changes/)
})

test('a Pod that runs is given time to end, less of it when somebody asks again', async (t) => {
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] }
  const { remove, isThere } = await scene(t, {}, 'Pod', { spec })
  const graceOf = ({ metadata }: ApiObject) => [metadata.deletionGracePeriodSeconds, metadata.deletionTimestamp]
  assert.deepEqual(graceOf((await remove()).object), [30, '2026-01-01T00:00:30Z'])
  assert.deepEqual(graceOf((await remove({ gracePeriodSeconds: 60 })).object), [30, '2026-01-01T00:00:30Z'])
  assert.deepEqual(graceOf((await remove({ gracePeriodSeconds: 10 })).object), [10, '2026-01-01T00:00:10Z'])
  assert.ok(isThere())
  assert.equal((await remove({ gracePeriodSeconds: 0 })).isGone, true)
  assert.ok(!isThere())
})

test('a namespace stays until its finalizers in spec are done', async (t) => {
  const { remove } = await scene(t, {}, 'Namespace')
  const { isGone, object } = await remove()
  assert.deepEqual([isGone, object['status']], [false, { phase: 'Terminating' }])
})

test('admission may keep it, and is told no name when it is one of many', async (t) => {
  const names: string[] = []
  const { deps, call, store } = await scene(t)
  const admission = {
    mutate: async () => undefined,
    async validate({ name, old, object }: { name: string; old?: unknown; object?: unknown }) {
      names.push(`${name}:${old !== undefined}:${object !== undefined}`)
      if (names.length === 1) throw new ApiFailure(403, 'Forbidden', 'stay')
    },
  }
  const at = call('v1', 'ConfigMap', 'a')
  assert.equal(await refusal(deleteObject({ ...deps, admission }, at, {})), '403 Forbidden: stay')
  assert.equal(store.revision, 1)
  await deleteObject({ ...deps, admission }, at, {}, true)
  assert.deepEqual(names, ['a:true:false', ':true:false'])
})

test('options that make no sense are refused, all of them', () => {
  const refused = (options: DeleteOptions) => {
    try {
      checkDeleteOptions(options)
      return 'taken'
    } catch (error) {
      return (error as Error).message
    }
  }
  const of = 'DeleteOptions.meta.k8s.io "" is invalid: '
  assert.equal(refused({}), 'taken')
  assert.equal(refused({ propagationPolicy: 'Orphan', dryRun: ['All'], gracePeriodSeconds: 0 }), 'taken')
  assert.equal(
    refused({ propagationPolicy: 'Orphan', orphanDependents: false }),
    `${of}propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set`,
  )
  assert.equal(
    refused({ propagationPolicy: 'foo', dryRun: [''] }),
    `${of}[propagationPolicy: Unsupported value: "foo": supported values: "Foreground", "Background", "Orphan", "nil", dryRun: Unsupported value: [""]: supported values: "All"]`,
  )
})
