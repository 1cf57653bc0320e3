import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { annotations, conditions } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import { isDenied } from './phase.ts'

const aCluster = (hubAcceptsClient: boolean, written: Record<string, string> = {}): Stored<ManagedCluster> => ({
  metadata: { name: 'west', uid: 'u', resourceVersion: '1', annotations: written },
  spec: { hubAcceptsClient },
})

test('a cluster that was never in is not denied', () => {
  assert.equal(isDenied(aCluster(false)), false)
})

test('a cluster that the hub let in, or that took itself off, is denied once it is not accepted', () => {
  for (const annotation of [annotations.automaticallyAcceptedOn, annotations.unjoinedAt, annotations.acceptedBefore]) {
    assert.equal(isDenied(aCluster(false, { [annotation]: '2026-03-01T12:00:00Z' })), true)
    assert.equal(isDenied(aCluster(true, { [annotation]: '2026-03-01T12:00:00Z' })), false)
  }
})

test('the condition of an earlier acceptance is remembered', () => {
  const condition = {
    type: conditions.accepted,
    status: 'False' as const,
    reason: 'HubClusterAdminDenied',
    message: '',
    lastTransitionTime: '2026-03-01T12:00:00Z',
  }
  assert.equal(isDenied({ ...aCluster(false), status: { conditions: [condition] } }), true)
})
