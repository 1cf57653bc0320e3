import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clusterIdOf, tenantOf } from './tenant.ts'

const config = (spec: { clusterID?: string; tenant?: string } = {}) => ({
  metadata: { name: 'west', namespace: 'a', uid: 'u', resourceVersion: '1' },
  spec,
})
const tenantPattern = '(?<tenant>[a-z]+)-.*'

test('A71a: a cluster without an id is known by its name', () => {
  assert.equal(clusterIdOf(config()), 'west')
  assert.equal(clusterIdOf(config({ clusterID: 'acme-prod-1' })), 'acme-prod-1')
})

test('A71b: the tenant is what is written, else what the configured pattern reads from the id, else nobody', () => {
  assert.equal(tenantOf(config({ tenant: 'blue', clusterID: 'acme-1' }), { tenantPattern }), 'blue')
  assert.equal(tenantOf(config({ clusterID: 'acme-1' }), { tenantPattern }), 'acme')
  assert.equal(tenantOf(config({ clusterID: 'acme-1' }), {}), '')
  assert.equal(tenantOf(config(), { tenantPattern }), '')
})

test('A71c: the pattern must fit the whole id, and what is no pattern names nobody', () => {
  assert.equal(tenantOf(config({ clusterID: 'x acme-1' }), { tenantPattern }), '')
  assert.equal(tenantOf(config({ clusterID: 'acme-1' }), { tenantPattern: 'acme' }), '')
  assert.equal(tenantOf(config({ clusterID: 'acme-1' }), { tenantPattern: '(' }), '')
  assert.equal(tenantOf(config({ clusterID: 'acme-1' }), { tenantPattern: '.*' }), '')
})
