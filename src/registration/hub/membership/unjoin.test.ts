import assert from 'node:assert/strict'
import { test } from 'node:test'
import { annotations } from '../../../fleet/names.ts'
import { sweepAt } from './unjoin.ts'

const aCluster = (unjoinedAt: string | undefined, hubAcceptsClient: boolean, deletionTimestamp?: string) => ({
  metadata: {
    name: 'west',
    uid: 'u',
    resourceVersion: '1',
    ...(deletionTimestamp && { deletionTimestamp }),
    ...(unjoinedAt !== undefined && { annotations: { [annotations.unjoinedAt]: unjoinedAt } }),
  },
  spec: { hubAcceptsClient },
})
const at = '2026-01-01T00:00:00Z'

test('a cluster that its own agent took off goes when the grace period is over', () => {
  assert.deepEqual(sweepAt(aCluster(at, false), 3_600_000), new Date('2026-01-01T01:00:00Z'))
})

for (const [what, cluster] of Object.entries({
  'an administrator denied': aCluster(undefined, false),
  'is accepted again': aCluster(at, true),
  'is being deleted': aCluster(at, false, at),
  'carries no readable time': aCluster('yesterday', false),
}))
  test(`a cluster that ${what} is not swept`, () => assert.equal(sweepAt(cluster, 1), undefined))
