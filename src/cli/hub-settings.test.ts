import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hubSettingsOf } from './hub-settings.ts'

const flags = { leaseGraceFactor: 5, unjoinGrace: 1_000 }

test('nobody is let in by itself unless the gate is on', () => {
  assert.equal(hubSettingsOf(flags).autoApprovedUsers, undefined)
  const on = { ...flags, featureGates: { ManagedClusterAutoApproval: true } }
  assert.deepEqual(hubSettingsOf(on).autoApprovedUsers, [])
  const users = { autoApprovedCsrUsers: ['a'], clusterAutoApprovalUsers: ['b'] }
  assert.deepEqual(hubSettingsOf({ ...on, ...users }).autoApprovedUsers, ['a', 'b'])
  assert.throws(() => hubSettingsOf({ ...flags, ...users }), { code: 'APPROVAL_WITHOUT_GATE' })
})

test('what goes with a deleted cluster is named by group, version and plural', () => {
  const gcResourceList = ['work.open-cluster-management.io/v1/manifestworks']
  assert.deepEqual(hubSettingsOf({ ...flags, gcResourceList }).gcResources, [
    { group: 'work.open-cluster-management.io', version: 'v1', plural: 'manifestworks' },
  ])
  assert.throws(() => hubSettingsOf({ ...flags, gcResourceList: ['v1/secrets'] }), { code: 'GC_RESOURCE_INVALID' })
  assert.deepEqual(hubSettingsOf({ ...flags, featureGates: { ResourceCleanup: false } }).gcResources, [])
})

test('the namespace of the hub is known to it, so that no cluster can have it', () => {
  assert.equal(hubSettingsOf({ ...flags, namespace: 'own' }).namespace, 'own')
})
