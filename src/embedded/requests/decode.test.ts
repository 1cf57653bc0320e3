import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '../objects.ts'
import { checkName, decodeSent, knownIn, settleNamespace } from './decode.ts'
import { refusal, writeScene } from './testing/scene.ts'

const anObject = (metadata: ApiObject['metadata']): ApiObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata })

const refused = (action: () => unknown) => refusal((async () => action())())

test('the namespace of the request is that of the object, or it is refused', async (t) => {
  const { call } = writeScene(t)
  const at = call('v1', 'ConfigMap', 'a')
  const settled = (namespace?: string) => {
    const object = anObject({ name: 'a', ...(namespace !== undefined && { namespace }) })
    settleNamespace(object, at)
    return object.metadata.namespace
  }
  assert.deepEqual([settled(), settled(''), settled('home')], ['home', 'home', 'home'])
  assert.match(
    await refused(() => settled('away')),
    /^400 BadRequest: the namespace of the provided object does not match/,
  )
  const node = anObject({ name: 'n', namespace: 'home' })
  settleNamespace(node, call('v1', 'Node', 'n'))
  assert.equal(node.metadata.namespace, undefined)
})

test('the name of the path is that of the object, or it is refused', async (t) => {
  const { call } = writeScene(t)
  const at = call('v1', 'ConfigMap', 'a')
  checkName(anObject({ name: 'a' }), at)
  assert.equal(
    await refused(() => checkName(anObject({ name: 'b' }), at)),
    '400 BadRequest: the name of the object (b) does not match the name on the URL (a)',
  )
  assert.match(await refused(() => checkName(anObject({}), at)), /was undeterminable: name must be provided$/)
})

test('what the client sent is read by the schema, and held against it as strictly as was asked', async (t) => {
  const { call, registry, warnings } = writeScene(t)
  const at = call('v1', 'ConfigMap', '')
  const decode = (validation: 'Strict' | 'Warn' | 'Ignore') =>
    decodeSent(
      at,
      {
        value: { metadata: { name: 'a' }, data: { k: 'v' }, foo: 1 },
        flaws: ['duplicate field "data"'],
        bytes: Buffer.alloc(0),
      },
      { validation, isKnown: knownIn(registry) },
    )
  const object = decode('Ignore')
  assert.deepEqual([object.kind, object.apiVersion, object['foo'], warnings], ['ConfigMap', 'v1', undefined, []])
  decode('Warn')
  assert.deepEqual(warnings, ['duplicate field "data"', 'unknown field "foo"'])
  assert.match(await refused(() => decode('Strict')), /^400 BadRequest: .*duplicate field "data", unknown field "foo"/)
})

test('an empty list of managers says something: forget them', (t) => {
  const { call, registry } = writeScene(t)
  const decode = (metadata: object) =>
    decodeSent(
      call('v1', 'ConfigMap', ''),
      { value: { metadata }, flaws: [], bytes: Buffer.alloc(0) },
      { validation: 'Warn', isKnown: knownIn(registry) },
    ).metadata.managedFields
  assert.deepEqual([decode({ managedFields: [] }), decode({})], [[], undefined])
})

test('another kind than that of the path is refused', async (t) => {
  const { call, registry } = writeScene(t)
  const sent = { value: { apiVersion: 'v1', kind: 'Secret', metadata: {} }, flaws: [], bytes: Buffer.alloc(0) }
  const decode = () => decodeSent(call('v1', 'ConfigMap', ''), sent, { validation: 'Warn', isKnown: knownIn(registry) })
  assert.match(await refused(decode), /^400 BadRequest: /)
})
