import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aKind } from '../../admission/testing/scene.ts'
import type { Kind } from '../../kinds/kind.ts'
import { operationRewriter } from './custom-operations.ts'

function rewriterOf(group: string, kind: string, version = 'v1', more: Partial<Kind> = {}) {
  const made = aKind(group, kind, 'things', { versionNames: [version], ...more })
  const [found] = made.versions
  assert.ok(found)
  return operationRewriter({ kind: made, version: found, apiVersion: `${group}/${version}` }, { '#/probe': '#/thing' })
}

const create = {
  operationId: 'createFactsLanyardTestV1NamespacedProbe',
  description: 'create a Probe',
  tags: ['factsLanyardTest_v1'],
  parameters: [{ name: 'namespace', in: 'path' }, { name: 'pretty' }],
  responses: { 200: { description: 'OK', content: { json: { schema: { $ref: '#/probe' } } } } },
  'x-kubernetes-action': 'post',
  'x-kubernetes-group-version-kind': { group: 'facts.lanyard.test', version: 'v1', kind: 'Probe' },
}

test('an operation is told under the names of the kind', () => {
  assert.deepEqual(rewriterOf('example.com', 'Apple', 'v2beta1')({ post: create }), {
    post: {
      operationId: 'createExampleComV2beta1NamespacedApple',
      description: 'create an Apple',
      tags: ['exampleCom_v2beta1'],
      parameters: create.parameters,
      responses: { 200: { description: 'OK', content: { json: { schema: { $ref: '#/thing' } } } } },
      'x-kubernetes-action': 'post',
      'x-kubernetes-group-version-kind': { group: 'example.com', version: 'v2beta1', kind: 'Apple' },
    },
  })
})

test('without namespaces there is no parameter for one', () => {
  const { post } = rewriterOf('example.com', 'Thing', 'v1', { namespaced: false })({ post: create }) as {
    post: typeof create
  }
  assert.deepEqual([post.operationId, post.parameters], ['createExampleComV1Thing', [{ name: 'pretty' }]])
})

test('names are turned into those of operations as the real server does it', () => {
  const idOf = (group: string, kind: string, version?: string) =>
    rewriterOf(group, kind, version)({ operationId: 'listFactsLanyardTestV1ProbeForAllNamespaces' })['operationId']
  assert.equal(idOf('x.lanyard.k8s.io', 'Thing'), 'listXLanyardV1ThingForAllNamespaces')
  assert.equal(idOf('my-group.2x.test', 'thing-Two', 'foo1'), 'listMyGroup2xTestFoo1ThingTwoForAllNamespaces')
  assert.equal(idOf('$&.test', '$1'), 'listTestV11ForAllNamespaces')
})

test('a kind in the plural has no article', () => {
  const described = (kind: string) => rewriterOf('example.com', kind)({ description: 'delete a Probe' })['description']
  assert.deepEqual(['Lens', 'Glass', 'Egg', 'thing', 's'].map(described), [
    'delete Lens',
    'delete a Glass',
    'delete an Egg',
    'delete a thing',
    'delete s',
  ])
})
