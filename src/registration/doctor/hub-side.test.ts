import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { conditions } from '../../fleet/names.ts'
import type { Stored } from '../../kube/objects.ts'
import { diagnoseHubSide } from './hub-side.ts'

const now = new Date('2026-01-01T00:00:00Z')

function findingsWith(leader: { holderIdentity?: string; renewTime: string } | undefined): string[] {
  const cluster = {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name: 'west', uid: '1', resourceVersion: '1', creationTimestamp: '2025-12-31T00:00:00Z' },
    spec: { hubAcceptsClient: true },
    status: {
      conditions: [
        {
          type: conditions.accepted,
          status: 'True',
          reason: 'HubClusterAdminAccepted',
          message: '',
          lastTransitionTime: '2025-12-31T00:00:00Z',
        },
      ],
    },
  } as Stored<ManagedCluster>
  const lease = leader && { metadata: { namespace: 'hub', name: 'lanyard-hub' }, spec: leader }
  const side = { name: 'west', cluster, csrs: [], lease: undefined, leader: lease, missingRights: [] }
  return diagnoseHubSide(side, now).map(({ id }) => id)
}

test('a hub that nobody leads is idle: its lease was given back, or has not been renewed for long', () => {
  assert.deepEqual(findingsWith({ holderIdentity: 'a', renewTime: '2025-12-31T23:59:50Z' }), [])
  assert.deepEqual(findingsWith({ renewTime: '2025-12-31T23:59:50Z' }), ['hub-idle'])
  assert.deepEqual(findingsWith({ holderIdentity: 'a', renewTime: '2025-12-31T23:58:00Z' }), ['hub-idle'])
})

test('a hub without a lease may run without election', () => {
  assert.deepEqual(findingsWith(undefined), [])
})
