import assert from 'node:assert/strict'
import { test } from 'node:test'
import { finalizers } from '../../../fleet/names.ts'
import type { Cluster } from './context.ts'
import { awaitsFirstWrite } from './first-write.ts'

const aCluster = (name: string, changes: Partial<Cluster['metadata']> = {}, hubAcceptsClient = false): Cluster => ({
  metadata: { name, uid: name, resourceVersion: '1', ...changes },
  spec: { hubAcceptsClient },
})
const awaits = (cluster: Cluster) => awaitsFirstWrite(cluster, { namespace: 'own' })

test('a cluster is about to be written to until it has the finalizer that all have', () => {
  assert.equal(awaits(aCluster('west')), true)
  assert.equal(awaits(aCluster('west', {}, true)), true)
  assert.equal(awaits(aCluster('west', { finalizers: ['example.com/other'] })), true)
  assert.equal(awaits(aCluster('west', { finalizers: [finalizers.resourceCleanup] })), false)
})

test('one that was denied, is being deleted or has a reserved name is never given it', () => {
  assert.equal(awaits(aCluster('west', { finalizers: [finalizers.apiResourceCleanup] })), false)
  assert.equal(awaits(aCluster('west', { deletionTimestamp: '2026-01-01T00:00:00Z' as never })), false)
  for (const name of ['own', 'kube-system']) assert.equal(awaits(aCluster(name)), false)
})
