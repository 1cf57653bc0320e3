import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorText } from '../../core/schema/field-errors.ts'
import { ManagedCluster } from './managed-cluster.ts'

const aCluster = (spec: ManagedCluster['spec'] = {}): ManagedCluster => ({
  apiVersion: 'cluster.open-cluster-management.io/v1',
  kind: 'ManagedCluster',
  metadata: { name: 'west' },
  spec,
})
const problems = (spec: ManagedCluster['spec']) => ManagedCluster.check(aCluster(spec)).map(({ field }) => field)

test('the lease of a cluster lasts 60 seconds unless it says otherwise', () => {
  assert.equal(ManagedCluster.applyDefaults(aCluster()).spec?.leaseDurationSeconds, 60)
  assert.equal(ManagedCluster.applyDefaults(aCluster({ leaseDurationSeconds: 0 })).spec?.leaseDurationSeconds, 0)
})

test('a taint has a qualified name and one of three effects', () => {
  const key = 'cluster.open-cluster-management.io/unreachable'
  for (const effect of ['NoSelect', 'PreferNoSelect', 'NoSelectIfNew'] as const)
    assert.deepEqual(problems({ taints: [{ key, effect, timeAdded: null }] }), [])
  assert.deepEqual(ManagedCluster.check(aCluster({ taints: [{ key, effect: 'x' as never }] })).map(fieldErrorText), [
    'spec.taints[0].effect: Unsupported value: "x": supported values: "NoSelect", "PreferNoSelect", "NoSelectIfNew"',
  ])
  assert.deepEqual(problems({ taints: [{ key: 'a b', effect: 'NoSelect' }] }), ['spec.taints[0].key'])
})

test('a way to reach the cluster needs a URL', () => {
  assert.deepEqual(problems({ managedClusterClientConfigs: [{} as never] }), [
    'spec.managedClusterClientConfigs[0].url',
  ])
})
