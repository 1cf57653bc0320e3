import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject } from '../objects.ts'
import { aKind, registryOf, served } from './testing/scene.ts'
import { equivalentsOf, Versions } from './versions.ts'

const asked: string[] = []
const widgets = aKind('example.com', 'Widget', 'widgets', {
  versionNames: ['v1', 'v2'],
  convert: async (objects, apiVersion) => {
    asked.push(apiVersion)
    return objects.map((object) => ({ ...object, apiVersion, seenAs: apiVersion }))
  },
})
const [v1, v2] = [served(widgets, 'v1'), served(widgets, 'v2')]
const widget = (apiVersion: string): ApiObject => ({ apiVersion, kind: 'Widget', metadata: { name: 'x' } })

test('the same objects are served under all versions of a kind, and under another group of one store', () => {
  const events = aKind('', 'Event', 'events')
  const newEvents = aKind('events.k8s.io', 'Event', 'events', { storage: 'events' })
  const registry = registryOf(widgets, events, newEvents)
  const names = (...of: Parameters<typeof equivalentsOf>) => equivalentsOf(...of).map(({ apiVersion }) => apiVersion)
  assert.deepEqual(names(registry, v2, ''), ['example.com/v1'])
  assert.deepEqual(names(registry, served(events), ''), ['events.k8s.io/v1'])
  assert.deepEqual(names(registry, v2, 'status'), [])
})

test('an object is converted once, and again after it has changed', async () => {
  asked.length = 0
  const versions = new Versions(v2, { object: widget(v2.apiVersion), old: undefined })
  assert.equal(await versions.as(v2), versions.own)
  const [first, second] = [await versions.as(v1), await versions.as(v1)]
  assert.equal(first, second)
  assert.equal(first.object?.apiVersion, 'example.com/v1')
  assert.deepEqual(asked, ['example.com/v1'])
  await versions.replace({ ...widget(v1.apiVersion), changed: true }, v1)
  assert.equal(versions.own.object?.apiVersion, 'example.com/v2')
  assert.equal((await versions.as(v1)).object?.['changed'], true)
  assert.deepEqual(asked, ['example.com/v1', 'example.com/v2', 'example.com/v1'])
})

test('versions without a conversion differ in their names alone', async () => {
  const plain = aKind('example.com', 'Widget', 'widgets', { versionNames: ['v1', 'v2'] })
  const versions = new Versions(served(plain, 'v2'), {
    object: widget('example.com/v2'),
    old: widget('example.com/v2'),
  })
  assert.deepEqual(await versions.as(served(plain, 'v1')), {
    object: widget('example.com/v1'),
    old: widget('example.com/v1'),
  })
})

test('what is written through a subresource of another kind is shown as it is', async () => {
  const scale: ApiObject = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'x' } }
  const versions = new Versions(v2, { object: scale, old: undefined })
  assert.equal((await versions.as(v1)).object, scale)
})
