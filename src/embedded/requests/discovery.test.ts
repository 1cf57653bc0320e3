import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Schema } from '../../core/schema/schema.ts'
import { aKind, registryOf } from '../admission/testing/scene.ts'
import type { ApiObject } from '../objects.ts'
import { byStability, groupDocumentOf, groupsDocument, groupsOf, resourcesDocument } from './discovery.ts'
import { builtInRegistry } from './testing/scene.ts'

const schema: Schema = { type: 'object' }

test('versions come in the order of their stability, the newest of each first', () => {
  const ordered = [
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v10beta3',
    'v3beta1',
    'v12alpha1',
    'v11alpha2',
    'foo1',
    'foo10',
    'v1foo',
  ]
  assert.deepEqual([...ordered].reverse().sort(byStability), ordered)
  assert.deepEqual([...ordered].sort(byStability), ordered)
})

test('the order of versions is one, whatever they are called', () => {
  const version = fc.oneof(
    fc.stringMatching(/^v[1-9][0-9]?((alpha|beta)[1-9])?$/),
    fc.stringMatching(/^[a-z0-9]{1,4}$/),
  )
  fc.assert(
    fc.property(fc.uniqueArray(version, { maxLength: 8 }), (versions) => {
      const sorted = [...versions].sort(byStability)
      assert.deepEqual([...sorted].reverse().sort(byStability), sorted)
    }),
  )
})

test('a group tells all versions of its kinds, and prefers the most stable', () => {
  const registry = registryOf(
    aKind('example.com', 'Old', 'olds', { versionNames: ['v1beta1'] }),
    aKind('example.com', 'New', 'news', { versionNames: ['v1beta1', 'v1'] }),
    aKind('', 'Core', 'cores'),
  )
  const versions = [
    { groupVersion: 'example.com/v1', version: 'v1' },
    { groupVersion: 'example.com/v1beta1', version: 'v1beta1' },
  ]
  const group = { name: 'example.com', versions, preferredVersion: versions[0] }
  assert.deepEqual(groupsDocument(registry).groups, [group])
  assert.deepEqual(groupDocumentOf(registry, 'example.com'), { kind: 'APIGroup', apiVersion: 'v1', ...group })
  assert.deepEqual([groupDocumentOf(registry, ''), groupDocumentOf(registry, 'none')], [undefined, undefined])
})

test('groups of Kubernetes come first, others by the names of their versions', () => {
  const registry = builtInRegistry(
    aKind('b.example.com', 'A', 'as', { versionNames: ['v2', 'v1'] }),
    aKind('a.example.com', 'B', 'bs', { versionNames: ['v1beta1'] }),
    aKind('c.example.com', 'C', 'cs', { versionNames: ['v1'] }),
  )
  const names = groupsDocument(registry).groups.map(({ name }) => name)
  assert.equal(names[0], 'apps')
  assert.deepEqual(names.slice(-3), ['b.example.com', 'c.example.com', 'a.example.com'])
  assert.deepEqual(groupsOf(registry.all()).slice(-3), ['a.example.com', 'b.example.com', 'c.example.com'])
})

test('the resources of a version, each with what can be done and what is behind it', () => {
  const registry = registryOf(
    aKind('example.com', 'Widget', 'widgets', {
      versionNames: ['v1', 'v2'],
      verbs: ['get', 'list'],
      shortNames: ['w'],
      categories: ['all'],
      custom: true,
      subresources: {
        status: { type: 'part', verbs: ['get', 'update'], merge: (submitted) => submitted },
        scale: {
          ...{ type: 'view', verbs: ['get'], apiVersion: 'autoscaling/v1', kind: 'Scale', schema },
          ...{ show: (object: ApiObject) => object, merge: (submitted: ApiObject) => submitted },
          replicasPaths: new Map(),
          columns: [],
        },
        token: { type: 'action', apiVersion: 'v1', kind: 'Token', schema, act: async (submitted) => submitted },
      },
    }),
    aKind('example.com', 'Gadget', 'gadgets', {
      versionNames: ['v2'],
      verbs: ['get', 'list'],
      shownVerbs: ['get'],
      custom: true,
    }),
  )
  const document = resourcesDocument(registry, 'example.com', 'v1')
  assert.deepEqual([document?.groupVersion, document?.apiVersion], ['example.com/v1', 'v1'])
  const [main, ...behind] = (document?.resources ?? []) as Record<string, unknown>[]
  const { storageVersionHash, ...rest } = main ?? {}
  assert.match(String(storageVersionHash), /^[A-Za-z0-9+/]{11}=$/)
  assert.deepEqual(rest, {
    ...{ name: 'widgets', singularName: 'widget', namespaced: true, kind: 'Widget', verbs: ['get', 'list'] },
    ...{ shortNames: ['w'], categories: ['all'] },
  })
  assert.deepEqual(behind, [
    { name: 'widgets/status', singularName: '', namespaced: true, kind: 'Widget', verbs: ['get', 'update'] },
    {
      ...{ name: 'widgets/scale', singularName: '', namespaced: true },
      ...{ group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get'] },
    },
    {
      ...{ name: 'widgets/token', singularName: '', namespaced: true },
      ...{ group: '', version: 'v1', kind: 'Token', verbs: ['create'] },
    },
  ])
  const second = (resourcesDocument(registry, 'example.com', 'v2')?.resources ?? []) as {
    name: string
    verbs: string[]
  }[]
  assert.deepEqual(
    second.map(({ name }) => name),
    ['gadgets', 'widgets', ...behind.map(({ name }) => name)],
  )
  assert.deepEqual(second[0]?.verbs, ['get'])
  assert.equal(resourcesDocument(registry, 'example.com', 'v3'), undefined)
})
