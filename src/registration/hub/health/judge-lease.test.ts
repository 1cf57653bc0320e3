import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { ConditionStatus } from '../../../core/conditions.ts'
import { conditions } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { LeaseFacts } from './judge-lease.ts'
import { judgeLease } from './judge-lease.ts'

const heardAt = new Date('2026-03-01T12:00:00Z')
const secondsLater = (seconds: number) => new Date(heardAt.getTime() + seconds * 1_000)

const condition = (type: string, status: ConditionStatus) => ({
  type,
  status,
  reason: 'Test',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
})

const aCluster = (
  available?: ConditionStatus,
  accepted: ConditionStatus | undefined = 'True',
): Stored<ManagedCluster> => ({
  apiVersion: 'cluster.open-cluster-management.io/v1',
  kind: 'ManagedCluster',
  metadata: { name: 'west', uid: 'u', resourceVersion: '1' },
  spec: { leaseDurationSeconds: 10 },
  status: {
    conditions: [
      ...(accepted ? [condition(conditions.accepted, accepted)] : []),
      ...(available ? [condition(conditions.available, available)] : []),
    ],
  },
})

const deleting = (cluster: Stored<ManagedCluster>): Stored<ManagedCluster> => ({
  ...cluster,
  metadata: { ...cluster.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
})

const judge = (facts: Partial<LeaseFacts>) =>
  judgeLease({
    cluster: aCluster('True'),
    hasLease: true,
    hasNamespace: true,
    heardAt,
    now: heardAt,
    graceFactor: 5,
    ...facts,
  })

test('it waits for the very moment the grace ends', () => {
  assert.deepEqual(judge({ now: secondsLater(49) }), { action: 'wait', ms: 1_000 })
  assert.deepEqual(judge({ now: secondsLater(50) }), { action: 'unreachable' })
  assert.deepEqual(judge({ now: secondsLater(50), graceFactor: 6 }), { action: 'wait', ms: 10_000 })
})

test('a cluster that was denied, or never spoke, falls silent like any other', () => {
  for (const cluster of [aCluster('True', 'False'), aCluster(), aCluster('False')])
    assert.deepEqual(judge({ cluster, now: secondsLater(60) }), { action: 'unreachable' })
})

test('what is Unknown is not told again', () => {
  assert.deepEqual(judge({ cluster: aCluster('Unknown'), now: secondsLater(60) }), { action: 'nothing' })
  assert.deepEqual(judge({ cluster: deleting(aCluster('Unknown')), hasLease: false }), { action: 'nothing' })
})

test('a lease is made for clusters that were accepted and have a namespace', () => {
  const unaccepted = { ...aCluster(), status: {} }
  assert.deepEqual(judge({ hasLease: false }), { action: 'create' })
  assert.deepEqual(judge({ hasLease: false, hasNamespace: false }), { action: 'nothing' })
  assert.deepEqual(judge({ cluster: unaccepted, hasLease: false }), { action: 'nothing' })
  assert.deepEqual(judge({ cluster: unaccepted, now: secondsLater(600) }), { action: 'nothing' })
})

test('one that is being deleted gets none, and is unreachable without', () => {
  assert.deepEqual(judge({ cluster: deleting(aCluster('True')), hasLease: false }), { action: 'unreachable' })
  assert.deepEqual(judge({ cluster: deleting(aCluster('True')) }), { action: 'wait', ms: 50_000 })
})
