import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestScope } from '../../../test/support/test-scope.ts'
import type { ApiObject } from '../objects.ts'
import type { Store, Write } from '../storage/store.ts'
import { patchObject } from './patch.ts'
import { parametersOf, racing, refusal, writeScene } from './testing/scene.ts'
import { upsert } from './upsert.ts'

function scene(t: TestScope) {
  const written = writeScene(t)
  const { deps, store, call } = written
  const place = { storage: 'configmaps', namespace: 'home', name: 'a' }
  const object: ApiObject = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace: 'home' } }
  return {
    ...written,
    make: () => store.write({ ...place, follows: 0, object }),
    remove: () =>
      store.write({ ...place, follows: store.get('configmaps', 'home', 'a')?.revision ?? 0, object: undefined }),
    apply(manager: string, data: object, on: Store = store) {
      const { parameters } = parametersOf(`fieldManager=${manager}`, 'PatchOptions')
      const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data }
      const body = Buffer.from(JSON.stringify(applied))
      return patchObject({ ...deps, store: on }, call('v1', 'ConfigMap', 'a'), 'apply', body, parameters)
    },
  }
}

test('of many that apply what is not there one makes it, and the others add to it', async (t) => {
  const { apply, found } = scene(t)
  const results = await Promise.all(['a', 'b', 'c', 'd'].map((key) => apply(key, { [key]: key })))
  assert.deepEqual(results.map(({ isNew }) => isNew).sort(), [false, false, false, true])
  assert.deepEqual(found('configmaps', 'a')?.['data'], { a: 'a', b: 'b', c: 'c', d: 'd' })
})

test('what goes while it is being changed is made', async (t) => {
  const { apply, make, remove, store } = scene(t)
  await make()
  let races = 1
  const { isNew } = await apply(
    'm',
    { a: 'b' },
    racing(store, async () => races-- > 0 && remove()),
  )
  assert.ok(isNew)
})

test('whoever comes too late again and again is told', async (t) => {
  const { apply, make, remove, store } = scene(t)
  const meddle = ({ follows }: Write) => (follows === 0 ? make() : remove())
  assert.match(await refusal(apply('m', { a: 'b' }, racing(store, meddle))), /^(409 AlreadyExists|404 NotFound)/)
})

test('a refusal that is none of the other clients’ doing is not asked for again', async (t) => {
  const { deps, call, make } = scene(t)
  let asked = 0
  const fail = async (): Promise<never> => {
    asked++
    throw new Error('no')
  }
  await assert.rejects(upsert(deps, call('v1', 'ConfigMap', 'a'), { create: fail, change: fail }), { message: 'no' })
  await make()
  await assert.rejects(upsert(deps, call('v1', 'ConfigMap', 'a'), { create: fail, change: fail }), { message: 'no' })
  assert.equal(asked, 2)
})

test('other patches make nothing', async (t) => {
  const { deps, call } = scene(t)
  const { parameters } = parametersOf('', 'PatchOptions')
  const patch = patchObject(deps, call('v1', 'ConfigMap', 'a'), 'merge', Buffer.from('{}'), parameters)
  assert.equal(await refusal(patch), '404 NotFound: configmaps "a" not found')
})
