import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedClusterSet } from './managed-cluster-set.ts'

const aSet = (fields: Partial<ManagedClusterSet> = {}): ManagedClusterSet => ({
  apiVersion: 'cluster.open-cluster-management.io/v1beta2',
  kind: 'ManagedClusterSet',
  metadata: { name: 'blue' },
  ...fields,
})
const problems = (spec: ManagedClusterSet['spec'] & {}) =>
  ManagedClusterSet.check(aSet({ spec })).map(({ field }) => field)

test('a set selects by its label wherever it does not say', () => {
  const exclusive = { clusterSelector: { selectorType: 'ExclusiveClusterSetLabel' } }
  for (const set of [aSet(), aSet({ spec: {} }), aSet({ spec: { clusterSelector: {} as never } })])
    assert.deepEqual(ManagedClusterSet.applyDefaults(set).spec, exclusive)
})

test('a set selects by its label or by any labels, and by nothing else', () => {
  const labelSelector = { matchExpressions: [{ key: 'a', operator: 'Exists' }] }
  assert.deepEqual(problems({ clusterSelector: { selectorType: 'LabelSelector', labelSelector } }), [])
  assert.deepEqual(problems({ clusterSelector: { selectorType: 'x' as never } }), ['spec.clusterSelector.selectorType'])
})

test('the namespaces of a set are named once each', () => {
  assert.deepEqual(problems({ managedNamespaces: [{ name: 'a' }, { name: 'b' }] }), [])
  assert.deepEqual(problems({ managedNamespaces: [{ name: 'a' }, { name: 'a' }] }), ['spec.managedNamespaces[1]'])
  assert.deepEqual(problems({ managedNamespaces: [{ name: 'A' }] }), ['spec.managedNamespaces[0].name'])
})
