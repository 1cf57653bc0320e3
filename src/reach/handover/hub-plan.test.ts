import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { spokeLabels } from '../../fleet/spoke/names.ts'
import type { Stored } from '../../kube/objects.ts'
import { handoverPlan } from './hub-plan.ts'

const metadata = { name: 'west', uid: '1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const accepted = { type: 'HubAcceptedManagedCluster', status: 'True', reason: 'r', message: '' }

const aCluster = (change: { reach?: string; accepts?: boolean; told?: boolean; deleting?: boolean } = {}) =>
  ({
    metadata: {
      ...metadata,
      annotations: { 'lanyard.io/reach': change.reach ?? 'true' },
      ...(change.deleting && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
    spec: { hubAcceptsClient: change.accepts ?? true },
    status: { conditions: change.told === false ? [] : [accepted] },
  }) as unknown as Stored<ManagedCluster>

const aConfig = (namespace: string, isOurs = false) =>
  ({
    metadata: { ...metadata, namespace, labels: isOurs ? { [spokeLabels.handover]: 'true' } : {} },
    spec: {},
  }) as unknown as Stored<ClusterConfig>

const aSecret = (value?: string) => ({ metadata, ...(value !== undefined && { data: { value } }) }) as never

test('what an agent may hand over is made once the cluster is in and people asked for it, and not before', () => {
  assert.deepEqual(handoverPlan(aCluster(), [], undefined), { is: 'wanted', withConfig: false })
  for (const cluster of [
    undefined,
    aCluster({ reach: 'false' }),
    aCluster({ reach: 'True' }),
    aCluster({ accepts: false }),
    aCluster({ told: false }),
    aCluster({ deleting: true }),
  ])
    assert.deepEqual(handoverPlan(cluster, [], aSecret('set')), { is: 'unwanted' })
})

test('the ClusterConfig waits for something to be in the Secret, and goes with it', () => {
  const withConfig = (secret: never) => handoverPlan(aCluster(), [], secret)
  assert.deepEqual(withConfig(aSecret()), { is: 'wanted', withConfig: false })
  assert.deepEqual(withConfig(aSecret('')), { is: 'wanted', withConfig: false })
  assert.deepEqual(withConfig(aSecret('set')), { is: 'wanted', withConfig: true })
})

test('a ClusterConfig of somebody else is the one that counts, unless ours was there', () => {
  const plan = (...named: Stored<ClusterConfig>[]) => handoverPlan(aCluster(), named, aSecret('set'))
  assert.deepEqual(plan(aConfig('theirs')), { is: 'taken', by: 'theirs/west' })
  assert.deepEqual(plan(aConfig('west')), { is: 'taken', by: 'west/west' })
  assert.deepEqual(plan(aConfig('theirs', true)), { is: 'taken', by: 'theirs/west' }, 'in the wrong namespace')
  assert.deepEqual(plan(aConfig('west', true)), { is: 'wanted', withConfig: true })
  assert.deepEqual(plan(aConfig('theirs'), aConfig('west', true)), { is: 'wanted', withConfig: true })
})
