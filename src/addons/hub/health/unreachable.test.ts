import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConditionStatus } from '../../../core/conditions.ts'
import { reportOf } from './unreachable.ts'

const cluster = (status: ConditionStatus) => ({
  metadata: { name: 'west' },
  status: {
    conditions: [
      {
        ...{ type: 'ManagedClusterConditionAvailable', status, reason: 'ManagedClusterLeaseUpdateStopped' },
        ...{ message: 'it stopped', lastTransitionTime: '2026-01-01T00:00:00Z' },
      },
    ],
  },
})

test('only of a cluster that is silent there is something to say, in the same words', () => {
  assert.deepEqual(reportOf(cluster('Unknown')), {
    type: 'Available',
    status: 'Unknown',
    reason: 'ManagedClusterLeaseUpdateStopped',
    message: 'it stopped',
  })
  for (const known of [cluster('True'), cluster('False'), { metadata: { name: 'west' } }, undefined])
    assert.equal(reportOf(known), undefined)
})
