import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { hubScene } from '../../support/fleet-scene.ts'
import { timedPlane } from '../../support/timed-plane.ts'

test('a hub sees a cluster on a plane whose time stands still', needsControlPlane, async (t) => {
  const { plane, clock, advance } = await timedPlane(t)
  const { admin, deps } = await hubScene(t, plane, { clock })
  await admin.of(ManagedCluster.resource).create({ metadata: { name: 'west' } })
  await eventually('it is seen', () => deps.view.clusters.get('west'))
  await advance('20m')
  await admin.of(ManagedCluster.resource).create({ metadata: { name: 'east' } })
  await eventually('it is seen later as well', () => deps.view.clusters.get('east'))
  assert.equal(deps.view.clusters.get('east')?.spec?.leaseDurationSeconds, undefined)
})
