import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { Kube } from '../../kube/kube.ts'
import { isKnownNamespaced, kindScopes } from './kind-scopes.ts'

const { signal } = new AbortController()
const version = (scopes: Record<string, string>, freshness = 'Current') => ({
  freshness,
  resources: Object.entries(scopes).map(([resource, scope]) => ({ resource, scope })),
})

/** A cluster whose discovery says this. */
function cluster(groups: Record<string, ReturnType<typeof version>[]> | Error) {
  const clock = new FakeClock()
  let reads = 0
  const said = { groups }
  const request = async () => {
    reads += 1
    if (said.groups instanceof Error) throw said.groups
    return { items: Object.entries(said.groups).map(([name, versions]) => ({ metadata: { name }, versions })) }
  }
  const scopes = kindScopes({ request } as unknown as Kube, clock, signal)
  return { clock, said, scopes, reads: () => reads }
}

test('Kubernetes says of its own kinds, and of the whole core group, whether they are in namespaces', () => {
  assert.equal(isKnownNamespaced('', 'nodes'), false)
  assert.equal(isKnownNamespaced('', 'secrets'), true)
  assert.equal(isKnownNamespaced('storage.k8s.io', 'storageclasses'), false)
  assert.equal(isKnownNamespaced('storage.example.com', 'storageclasses'), undefined)
  assert.equal(isKnownNamespaced('apps', 'deployments'), undefined)
  assert.equal(isKnownNamespaced('constructor', 'name'), undefined)
})

test('discovery is read once for all kinds, and again when it is a minute old', async () => {
  const { clock, said, scopes, reads } = cluster({
    'a.example.com': [version({ widgets: 'Namespaced', rooms: 'Cluster' })],
  })
  const both = [scopes.isNamespaced('a.example.com', 'widgets'), scopes.isNamespaced('a.example.com', 'rooms')]
  assert.deepEqual(await Promise.all(both), [true, false])
  said.groups = { 'a.example.com': [version({ rooms: 'Namespaced' })] }
  await clock.advance(59_999)
  assert.deepEqual([await scopes.isNamespaced('a.example.com', 'rooms'), reads()], [false, 1])
  await clock.advance(1)
  assert.deepEqual([await scopes.isNamespaced('a.example.com', 'rooms'), reads()], [true, 2])
})

test('a kind that is not served is unknown, and looked for again after five seconds', async () => {
  const { clock, said, scopes, reads } = cluster({})
  assert.equal(await scopes.isNamespaced('a.example.com', 'widgets'), undefined)
  said.groups = { 'a.example.com': [version({ widgets: 'Cluster' })] }
  await clock.advance(4_999)
  assert.deepEqual([await scopes.isNamespaced('a.example.com', 'widgets'), reads()], [undefined, 1])
  await clock.advance(1)
  assert.equal(await scopes.isNamespaced('a.example.com', 'widgets'), false)
})

test('a kind counts as in no namespace only if all versions of its group were read and say so', async () => {
  const { scopes } = cluster({
    'a.example.com': [version({ widgets: 'Cluster' }), version({ widgets: 'Namespaced' })],
    'b.example.com': [version({ widgets: 'Cluster' }), version({}, 'Stale')],
    'c.example.com': [version({ widgets: 'Namespaced' }, 'Stale')],
  })
  assert.equal(await scopes.isNamespaced('a.example.com', 'widgets'), true)
  assert.equal(await scopes.isNamespaced('b.example.com', 'widgets'), undefined)
  assert.equal(await scopes.isNamespaced('c.example.com', 'widgets'), true)
})

test('a discovery that failed is read again at the next question', async () => {
  const { said, scopes } = cluster(new Error('no answer'))
  await assert.rejects(scopes.isNamespaced('a.example.com', 'widgets'), /no answer/)
  said.groups = { 'a.example.com': [version({ widgets: 'Cluster' })] }
  assert.equal(await scopes.isNamespaced('a.example.com', 'widgets'), false)
})
