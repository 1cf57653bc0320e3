import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedClusterSet } from '../../../apis/cluster/managed-cluster-set.ts'
import type { Stored } from '../../../kube/objects.ts'
import { wantedNamespaces } from './managed-namespaces.ts'

const aSet = (name: string, ...namespaces: string[]): Stored<ManagedClusterSet> => ({
  apiVersion: 'cluster.open-cluster-management.io/v1beta2',
  kind: 'ManagedClusterSet',
  metadata: { name, uid: name, resourceVersion: '1' },
  spec: { managedNamespaces: namespaces.map((name) => ({ name })) },
})

test('they come in one order, whatever that of the sets', () => {
  const expected = [
    { clusterSet: 'a', name: 'x' },
    { clusterSet: 'b', name: 'x' },
    { clusterSet: 'b', name: 'y' },
  ]
  assert.deepEqual(wantedNamespaces([aSet('b', 'y', 'x'), aSet('a', 'x'), aSet('c')], []), expected)
})

test('what the agent said stays with set and name; what nobody wants any more goes', () => {
  const told = { type: 'NamespaceAvailable', status: 'True', reason: 'NamespaceApplied', message: '' } as const
  const conditions = [{ ...told, lastTransitionTime: '2026-01-01T00:00:00Z' }]
  const old = [
    { clusterSet: 'a', name: 'x', conditions },
    { clusterSet: 'a', name: 'y', conditions },
  ]
  assert.deepEqual(wantedNamespaces([aSet('a', 'x'), aSet('b', 'y')], old), [old[0], { clusterSet: 'b', name: 'y' }])
})
