import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { labels } from '../../fleet/names.ts'
import { fieldForbidden } from './agent-change.ts'

const taint = { key: 'quarantine', effect: 'NoSelect' as const }
const stored: ManagedCluster = {
  metadata: { name: 'west', labels: { env: 'test', [labels.clusterSet]: 'red' }, finalizers: ['f'] },
  spec: { hubAcceptsClient: true, leaseDurationSeconds: 60, taints: [taint] },
}
const changed = (metadata: object, spec: object = {}): ManagedCluster => ({
  metadata: { ...stored.metadata, ...metadata },
  spec: { ...stored.spec, ...spec },
})

test('an agent may say how its cluster is reached, and that it leaves', () => {
  assert.equal(fieldForbidden(stored, stored), undefined)
  const url = { managedClusterClientConfigs: [{ url: 'https://a' }] }
  assert.equal(fieldForbidden(stored, changed({}, url)), undefined)
  assert.equal(fieldForbidden(stored, changed({}, { hubAcceptsClient: false })), undefined)
  assert.equal(fieldForbidden(stored, changed({ resourceVersion: '2', generation: 3, managedFields: [] })), undefined)
})

test('an agent may change nothing else, and is told what', () => {
  const cases: [ManagedCluster, string][] = [
    [changed({ labels: { ...stored.metadata?.labels, env: 'prod' } }), 'metadata.labels[env]'],
    [changed({ labels: { ...stored.metadata?.labels, more: '' } }), 'metadata.labels[more]'],
    [changed({ labels: { [labels.clusterSet]: 'red' } }), 'metadata.labels[env]'],
    [changed({ finalizers: [] }), 'metadata.finalizers'],
    [
      changed({ ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }] }),
      'metadata.ownerReferences',
    ],
    [changed({}, { taints: [] }), 'spec.taints'],
    [changed({}, { leaseDurationSeconds: 3600 }), 'spec.leaseDurationSeconds'],
    [changed({}, { somethingNew: true }), 'spec.somethingNew'],
  ]
  for (const [sent, field] of cases) assert.equal(fieldForbidden(stored, sent), field)
})

test('what the hub fills in at any write is not the doing of the agent', () => {
  const bare: ManagedCluster = { metadata: { name: 'west' } }
  const filled: ManagedCluster = {
    metadata: { name: 'west', labels: { [labels.clusterSet]: 'default' } },
    spec: { leaseDurationSeconds: 60 },
  }
  assert.equal(fieldForbidden(bare, filled), undefined)
})
