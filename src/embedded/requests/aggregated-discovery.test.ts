import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aKind, registryOf } from '../admission/testing/scene.ts'
import type { Registry } from '../kinds/registry.ts'
import { answerAggregated } from './aggregated-discovery.ts'
import type { ApiRequest } from './body.ts'
import { builtInRegistry } from './testing/scene.ts'

const parameters = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

const requestFor = (path: string, headers: Record<string, string>): ApiRequest => ({
  ...{ method: 'GET', uri: path, path, query: new URLSearchParams(), headers, rawHeaders: [] },
  readBody: async () => Buffer.alloc(0),
})

function ask(registry: Registry, path: string, headers: Record<string, string> = {}) {
  return answerAggregated(registry, requestFor(path, { accept: `application/json;${parameters}`, ...headers }))
}

test('who does not ask for it, or asks elsewhere, is not answered here', () => {
  const registry = builtInRegistry()
  for (const accept of ['', '*/*', 'application/json', `text/html;${parameters}`, 'application/json;as=APIGroupList'])
    assert.equal(ask(registry, '/apis', { accept }), undefined, accept)
  for (const path of ['/apis/', '/apis/apps', '/version']) assert.equal(ask(registry, path), undefined, path)
  for (const path of ['/api', '/api/', '/apis']) assert.equal(ask(registry, path)?.code, 200, path)
})

test('the core group stands apart and has no name', () => {
  const registry = builtInRegistry()
  const groupsAt = (path: string) =>
    JSON.parse(ask(registry, path)?.body ?? '').items.map(({ metadata }: { metadata: object }) => metadata)
  assert.deepEqual(groupsAt('/api'), [{}])
  assert.ok(groupsAt('/apis').every(({ name }: { name?: string }) => name !== undefined))
})

test('the tag moves with the kinds', () => {
  const registry = registryOf(aKind('example.com', 'Widget', 'widgets'))
  const tagOf = () => ask(registry, '/apis')?.headers?.['etag'] ?? ''
  const before = tagOf()
  assert.deepEqual(ask(registry, '/apis', { 'if-none-match': before })?.code, 304)
  registry.set(aKind('example.com', 'Gadget', 'gadgets'))
  assert.notEqual(tagOf(), before)
  assert.equal(ask(registry, '/apis', { 'if-none-match': before })?.code, 200)
  registry.remove('example.com', 'gadgets')
  assert.equal(tagOf(), before)
})
