import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { annotations } from '../../fleet/names.ts'
import type { Stored } from '../../kube/objects.ts'
import { awsAnnotations } from '../drivers/marks.ts'
import { clusterOverview, isWaiting } from './cluster-overview.ts'

const arn = 'arn:aws:eks:us-west-2:123456789012:cluster/west'
const cluster = (noted: Record<string, string>, hubAcceptsClient = false): Stored<ManagedCluster> => ({
  metadata: {
    name: 'west',
    uid: '1',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations: noted,
  },
  spec: { hubAcceptsClient },
})

test('a cluster that comes by AWS IAM waits without a certificate request, and says which it is', () => {
  for (const annotation of [awsAnnotations.arn, awsAnnotations.fieldArn]) {
    const overview = clusterOverview(cluster({ [annotation]: arn }))
    const { stage, driver, managedClusterArn, pendingRequests } = overview
    assert.deepEqual([stage, driver, managedClusterArn, pendingRequests], ['pending', 'awsirsa', arn, []])
    assert.equal(isWaiting(overview), true)
  }
})

test('a certificate of before it came by AWS IAM is not told of it', () => {
  const certificate = { [annotations.agentName]: 'a1', [annotations.certificateExpiresAt]: '2026-01-02T00:00:00Z' }
  const before = clusterOverview(cluster(certificate, true))
  assert.deepEqual([before.agent, before.certificateExpiresAt], ['a1', new Date('2026-01-02T00:00:00Z')])
  const moved = clusterOverview(cluster({ ...certificate, [awsAnnotations.arn]: arn }, true))
  assert.deepEqual([moved.agent, moved.certificateExpiresAt], [undefined, undefined])
})

test('it does not wait any more once it is accepted', () => {
  assert.equal(isWaiting(clusterOverview(cluster({ [awsAnnotations.arn]: arn }, true))), false)
})

test('a cluster of certificates waits once its agent has asked', () => {
  const overview = clusterOverview(cluster({}))
  assert.deepEqual([overview.driver, 'managedClusterArn' in overview], ['csr', false])
  assert.equal(isWaiting(overview), false)
  assert.equal(isWaiting({ ...overview, pendingRequests: ['west-1'] }), true)
  assert.equal(isWaiting({ ...overview, pendingRequests: ['west-1'], stage: 'denied' }), false)
})
