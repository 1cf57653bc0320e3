import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kube, KubeRequest } from '../../src/kube/kube.ts'
import { goTypes } from './go-types.ts'
import { oneALine } from './one-a-line.ts'
import { bootstrapPolicy } from './policy.ts'
import { schemas } from './schemas.ts'
import { furtherKinds } from './served.ts'

const answering = (answer: (request: KubeRequest) => unknown): Kube => ({
  of: () => assert.fail('no collection is asked for'),
  request: async <R>(request: KubeRequest) => answer(request) as R,
})

test('each member stands on a line of its own', () => {
  const document = { name: 'x', list: [{ a: 1 }, { b: [2] }], map: { c: { d: 3 } }, none: [], nothing: {} }
  const text = oneALine(document)
  assert.deepEqual(JSON.parse(text), document)
  assert.equal(
    text,
    '{\n"name": "x",\n"list": [\n{"a":1},\n{"b":[2]}\n],\n"map": {\n"c":{"d":3}\n},\n"none": [],\n"nothing": {}\n}\n',
  )
})

test('schemas hold what is reachable, without what is for people', async () => {
  const kindsOf = (names: readonly string[]) =>
    names.map((name) => {
      const [kind = '', version = '', group = ''] = name.split('/').reverse()
      return { group, version, kind }
    })
  const definitions = {
    Thing: {
      description: 'a thing',
      type: 'object',
      properties: {
        description: { type: 'string', description: 'of the thing' },
        part: { description: 'its part', default: {}, allOf: [{ $ref: '#/components/schemas/Part' }] },
      },
      'x-kubernetes-group-version-kind': kindsOf(['v1/Thing', ...furtherKinds]),
    },
    Part: { type: 'object', properties: { more: { type: 'array', items: { $ref: '#/components/schemas/Part' } } } },
    Other: { type: 'object' },
  }
  const found = await schemas(
    answering(() => ({ components: { schemas: definitions } })),
    new Set(['v1/Thing']),
  )
  assert.equal(found.kinds['v1/Thing'], 'Thing')
  assert.deepEqual(found.definitions, {
    Part: { type: 'object', properties: { more: { type: 'array', items: { $ref: 'Part' } } } },
    Thing: { type: 'object', properties: { description: { type: 'string' }, part: { $ref: 'Part', default: {} } } },
  })
})

test('a kind that is not there is an error, not a gap', async () => {
  const nothing = answering(() => ({ components: { schemas: {} } }))
  await assert.rejects(schemas(nothing, new Set(['v1/Thing'])), /no schema for v1\/Thing/)
})

test('roles are as declared: no identity, and no rules where those are gathered', async () => {
  const metadata = { name: 'b', uid: 'u', resourceVersion: '1', creationTimestamp: 'now', labels: { a: 'b' } }
  const items = [
    { metadata, rules: [{ verbs: ['get'] }] },
    { metadata: { ...metadata, name: 'a' }, aggregationRule: { x: 1 }, rules: [{ verbs: ['get'] }] },
  ]
  const { clusterRoles } = await bootstrapPolicy(answering(() => ({ items })))
  const common = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' }
  assert.deepEqual(clusterRoles, [
    { ...common, metadata: { name: 'a', labels: { a: 'b' } }, aggregationRule: { x: 1 }, rules: [] },
    { ...common, metadata: { name: 'b', labels: { a: 'b' } }, rules: [{ verbs: ['get'] }] },
  ])
})

test('names of types are read from refusals; what is not refused has none', async () => {
  const asked: unknown[] = []
  const file = {
    kinds: { 'v1/Thing': 'Thing' },
    definitions: {
      Thing: { properties: { parts: { type: 'array', items: { $ref: 'Part' } } } },
      Part: { properties: { color: { type: 'string' } } },
    },
  }
  const kube = answering(({ body }) => void asked.push(body))
  const thing = { group: '', version: 'v1', name: 'things', kind: 'Thing', namespaced: true }
  assert.deepEqual(await goTypes(kube, [thing], file), { types: {}, embedded: {} })
  assert.deepEqual(asked, [{ parts: 1 }, { parts: [{ color: 1 }] }])
})
