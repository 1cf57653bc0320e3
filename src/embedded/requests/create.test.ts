import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Admitted } from '../admission/admission.ts'
import type { ApiObject } from '../objects.ts'
import { forbidden } from '../status.ts'
import { createObject } from './create.ts'
import { parametersOf, racing, refusal, writeScene } from './testing/scene.ts'

const sent = (metadata: ApiObject['metadata'], rest: object = {}): ApiObject => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata },
  ...rest,
})

const creating = (query = '') => parametersOf(query, 'CreateOptions')

test('uid, times and versions are the server’s, whatever the client says', async (t) => {
  const { deps, call, found } = writeScene(t)
  const made = await createObject(
    deps,
    call('v1', 'ConfigMap', ''),
    sent({
      ...{ name: 'a', uid: 'mine', resourceVersion: '0', creationTimestamp: '1999-01-01T00:00:00Z', generation: 7 },
      ...{ deletionTimestamp: '1999-01-01T00:00:00Z', deletionGracePeriodSeconds: 5, selfLink: '/x' },
    }),
    creating(),
  )
  const { metadata } = made
  assert.match(metadata.uid ?? '', /^[0-9a-f]{8}-/)
  assert.deepEqual(
    [metadata.resourceVersion, metadata.creationTimestamp, metadata.namespace],
    [...['1', '2026-01-01T00:00:00Z', 'home']],
  )
  assert.deepEqual(
    [metadata.deletionTimestamp, metadata.deletionGracePeriodSeconds, metadata.selfLink],
    [...[undefined, undefined, undefined]],
  )
  assert.deepEqual(found('configmaps', 'a'), made)
})

test('generation begins with 1 where it is kept', async (t) => {
  const { deps, call } = writeScene(t)
  const object = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' } },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  }
  const made = await createObject(deps, call('apps/v1', 'Deployment', ''), object as unknown as ApiObject, creating())
  assert.equal(made.metadata.generation, 1)
})

test('a version, another namespace and a name that is taken are refused', async (t) => {
  const { deps, call } = writeScene(t)
  const create = (metadata: ApiObject['metadata']) =>
    createObject(deps, call('v1', 'ConfigMap', ''), sent(metadata), creating())
  await create({ name: 'a' })
  assert.equal(await refusal(create({ name: 'a' })), '409 AlreadyExists: configmaps "a" already exists')
  assert.equal(
    await refusal(create({ name: 'b', resourceVersion: '5' })),
    '500 : resourceVersion should not be set on objects to be created',
  )
  assert.equal(
    await refusal(create({ name: 'b', namespace: 'away' })),
    '400 BadRequest: the namespace of the provided object does not match the namespace sent on the request',
  )
  assert.match(await refusal(create({})), /^422 Invalid: ConfigMap "" is invalid: .*name or generateName is required/)
})

test('a dry run goes all the way and keeps nothing', async (t) => {
  const { deps, call, store } = writeScene(t)
  const create = (name: string, query: string) =>
    createObject(deps, call('v1', 'ConfigMap', ''), sent({ name }), creating(query))
  const made = await create('a', 'dryRun=All')
  assert.deepEqual([made.metadata.resourceVersion, store.revision], [undefined, 0])
  await create('a', '')
  assert.equal(await refusal(create('a', 'dryRun=All')), '409 AlreadyExists: configmaps "a" already exists')
})

test('a generated name that is taken is made up anew, and given up in the end', async (t) => {
  const suffixes: string[] = []
  const random = { fraction: () => 0, suffix: () => suffixes.shift() ?? 'taken' }
  const { deps, call } = writeScene(t, { random })
  const create = () =>
    createObject(deps, call('v1', 'ConfigMap', ''), sent({ generateName: 'a-' }, { data: { k: 'v' } }), creating())
  await create()
  suffixes.push('taken', 'taken', 'other')
  const made = await create()
  assert.deepEqual([made.metadata.name, made.metadata.generateName, made['data']], ['a-other', 'a-', { k: 'v' }])
  assert.equal(await refusal(create()), '409 AlreadyExists: configmaps "a-taken" already exists')
})

test('a generated name leaves room for what is made up, and gives way to a name', async (t) => {
  const { deps, call } = writeScene(t)
  const create = (metadata: ApiObject['metadata']) =>
    createObject(deps, call('v1', 'ConfigMap', ''), sent(metadata), creating())
  const { metadata } = await create({ generateName: 'x'.repeat(80) })
  assert.match(metadata.name ?? '', /^x{58}[a-z0-9]{5}$/)
  assert.equal((await create({ generateName: 'a-', name: 'b' })).metadata.name, 'b')
})

test('somebody who takes the name in between wins', async (t) => {
  const { deps, call, store, found } = writeScene(t)
  const faster = racing(store, (write) => store.write({ ...write, object: sent({ name: 'a', namespace: 'home' }) }))
  const losing = createObject({ ...deps, store: faster }, call('v1', 'ConfigMap', ''), sent({ name: 'a' }), creating())
  assert.equal(await refusal(losing), '409 AlreadyExists: configmaps "a" already exists')
  assert.equal(found('configmaps', 'a')?.metadata.uid, undefined)
})

test('mutating admission sees the object as it was sent, validating admission as it will be', async (t) => {
  const seen: string[] = []
  const look = (step: string, { name, object, operation }: Admitted) =>
    seen.push(`${step} ${operation} ${name} ${object?.metadata.name} ${object?.metadata.uid !== undefined}`)
  const { deps, call, found } = writeScene(t, {
    random: { fraction: () => 0, suffix: () => 'new' },
    admission: {
      async mutate(write) {
        look('mutate', write)
        return { ...(write.object as ApiObject), data: { added: 'yes' } }
      },
      async validate(write) {
        look('validate', write)
      },
    },
  })
  await createObject(deps, call('v1', 'ConfigMap', ''), sent({ generateName: 'a-' }), creating())
  assert.deepEqual(seen, ['mutate CREATE  undefined false', 'validate CREATE a-new a-new true'])
  assert.deepEqual(found('configmaps', 'a-new')?.['data'], { added: 'yes' })
})

test('what admission forbids is not made', async (t) => {
  const { deps, call, store } = writeScene(t, {
    admission: {
      mutate: async ({ object }) => object,
      validate: async ({ served, name }) => {
        throw forbidden(served.kind, name, 'no')
      },
    },
  })
  const create = createObject(deps, call('v1', 'ConfigMap', ''), sent({ name: 'a' }), creating())
  assert.equal(await refusal(create), '403 Forbidden: configmaps "a" is forbidden: no')
  assert.equal(store.revision, 0)
})
