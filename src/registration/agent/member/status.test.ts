import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditions } from '../../../fleet/names.ts'
import { available, unavailable } from './available.ts'
import type { Facts } from './status.ts'
import { statusPatch } from './status.ts'
import { aCondition, acceptance } from './testing/scene.ts'

const now = new Date('2026-01-02T03:04:05Z')
const knowing = (facts: Partial<Facts> = {}): Facts => ({
  namespaces: new Map(),
  hasRenewed: true,
  reported: new Set(),
  ...facts,
})
const all = knowing({
  available,
  version: 'v1.36.2',
  nodes: { capacity: { cpu: '4' }, allocatable: { cpu: '3' } },
  claims: [{ name: 'id.k8s.io', value: 'x' }],
})

test('the first report tells everything, and the next nothing', () => {
  const patch = statusPatch({ conditions: [acceptance] }, all, now)
  assert.deepEqual(Object.keys(patch ?? {}).sort(), [
    'allocatable',
    'capacity',
    'clusterClaims',
    'conditions',
    'version',
  ])
  assert.deepEqual(
    patch?.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]),
    [
      [conditions.accepted, 'True', 'Test', ''],
      [conditions.joined, 'True', 'ManagedClusterJoined', 'Managed cluster joined'],
      [conditions.available, 'True', 'ManagedClusterAvailable', 'Managed cluster is available'],
    ],
  )
  assert.equal(statusPatch(patch as never, all, new Date('2026-02-02T00:00:00Z')), undefined)
})

test('what is not known yet is left as it is', () => {
  const status = {
    conditions: [acceptance, aCondition(conditions.available, 'False')],
    capacity: { cpu: '4' },
    clusterClaims: [{ name: 'a', value: 'b' }],
    version: { kubernetes: 'v1.30.0' },
  }
  assert.deepEqual(Object.keys(statusPatch(status, knowing(), now) ?? {}), ['conditions'])
})

test('capacity of others stays, of this agent it goes, and allocatable follows the nodes', () => {
  const status = {
    conditions: [acceptance],
    capacity: { cpu: '4', sockets: '2', gpu: '1' },
    allocatable: { cpu: '4', gpu: '1' },
  }
  const facts = knowing({
    nodes: { capacity: { cpu: '8' }, allocatable: { cpu: '4000m' } },
    reported: new Set(['cpu', 'gpu']),
  })
  const patch = statusPatch(status, facts, now)
  assert.deepEqual(patch?.capacity, { cpu: '8', gpu: null })
  assert.deepEqual(patch?.allocatable, { gpu: null })
})

test('claims that are gone leave the hub', () => {
  const status = { clusterClaims: [{ name: 'a', value: 'b' }] }
  assert.deepEqual(statusPatch(status, knowing({ claims: [] }), now)?.clusterClaims, [])
  assert.equal(statusPatch({}, knowing({ claims: [] }), now)?.clusterClaims, undefined)
})

test('Unknown stays until the hub has heard the lease again', () => {
  const status = { conditions: [aCondition(conditions.available, 'Unknown', 'ManagedClusterLeaseUpdateStopped')] }
  const statusOf = (facts: Facts) =>
    statusPatch(status, facts, now)?.conditions?.find(({ type }) => type === conditions.available)?.status
  assert.equal(statusOf(knowing({ available, hasRenewed: false })), 'Unknown')
  assert.equal(statusOf(knowing({ available })), 'True')
  assert.equal(statusOf(knowing({ available: unavailable('500') })), 'False')
})

test('each entry of a managed namespace gets its condition, and none is added or removed', () => {
  const report = { ...available, type: conditions.namespaceAvailable }
  const status = {
    managedNamespaces: [
      { name: 'a', clusterSet: 'one' },
      { name: 'a', clusterSet: 'two' },
      { name: 'b', clusterSet: 'one' },
    ],
  }
  const facts = knowing({
    namespaces: new Map([
      ['a', report],
      ['gone', report],
    ]),
  })
  const managedNamespaces = statusPatch(status, facts, now)?.managedNamespaces
  assert.deepEqual(
    managedNamespaces?.map(({ name, clusterSet, conditions: list }) => [name, clusterSet, list?.[0]?.status]),
    [
      ['a', 'one', 'True'],
      ['a', 'two', 'True'],
      ['b', 'one', undefined],
    ],
  )
  assert.equal(statusPatch({ managedNamespaces }, facts, now)?.managedNamespaces, undefined)
})

test('a clock that runs ahead or behind stops nothing', () => {
  const status = { conditions: [aCondition(conditions.clockSynced, 'False', 'ManagedClusterClockOutOfSync')] }
  assert.ok(statusPatch(status, all, new Date('2000-01-01T00:00:00Z'))?.conditions)
})
