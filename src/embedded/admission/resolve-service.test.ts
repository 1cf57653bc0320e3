import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceResolver } from './resolve-service.ts'
import { MemoryStore } from './testing/scene.ts'

const metadata = (name: string) => ({ name, namespace: 'home' })
const store = new MemoryStore()
  .put('services', {
    metadata: metadata('outside'),
    ...{ spec: { type: 'ExternalName', externalName: 'example.com' } },
  })
  .put('services', {
    metadata: metadata('inside'),
    ...{ spec: { clusterIP: '10.0.0.9', ports: [{ name: 'https', port: 443 }] } },
  })
  .put('endpoints', {
    metadata: metadata('inside'),
    ...{ subsets: [{ addresses: [{ ip: '10.1.0.1' }], ports: [{ name: 'https', port: 8443 }] }] },
  })
  .put('services', { metadata: metadata('lonely'), ...{ spec: { clusterIP: 'fd00::9' } } })
const resolve = serviceResolver(store)

test('a service is where its endpoints are, or wherever it points', () => {
  const find = (name: string, port?: number) => resolve({ namespace: 'home', name, ...(port && { port }) })
  assert.equal(find('outside', 8443), 'example.com:8443')
  assert.equal(find('inside'), '10.1.0.1:8443')
  assert.equal(find('lonely'), '[fd00::9]:443')
  assert.equal(find('gone'), undefined)
})
