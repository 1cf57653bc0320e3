/** How add-ons are doing: by their leases on the cluster, and on the hub once the whole cluster is silent. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { addonConditions, conditions, labels } from '../../../src/fleet/names.ts'
import { leases, namespaces } from '../../../src/kube/kinds.ts'
import { microTime } from '../../../src/kube/lease-record.ts'
import type { AddonScene } from '../../support/addon-scene.ts'
import { addonHub, addonScene } from '../../support/addon-scene.ts'
import { isJoined } from '../../support/agent-scene.ts'
import { aLease, aNamespace, uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

const { available } = addonConditions

describe('the health of add-ons', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  before(async () => {
    timed = await timedPlane(suite)
    await addonHub(suite, timed.plane, { clock: timed.clock })
  })
  async function started(t: Parameters<typeof addonScene>[0]): Promise<AddonScene & { installNamespace: string }> {
    const scene = await addonScene(t, timed.plane, { clock: timed.clock })
    const installNamespace = uniqueName('install')
    await scene.home.of(namespaces).create(aNamespace(installNamespace))
    return Object.assign(scene, { installNamespace })
  }
  const renew = async ({ home, installNamespace }: AddonScene & { installNamespace: string }, addon: string) => {
    const spec = { holderIdentity: addon, leaseDurationSeconds: 60, renewTime: microTime(timed.clock.now()) }
    await home.of(leases, installNamespace).apply(aLease(addon, spec) as never, { fieldManager: 'test', force: true })
  }
  const featureIs = (scene: AddonScene, addon: string, value: string) =>
    eventually(`its label is ${value}`, async () => {
      const { metadata } = await scene.admin.of(ManagedCluster.resource).get(scene.cluster)
      return metadata.labels?.[`${labels.featurePrefix}${addon}`] === value
    })

  test('R66a: a lease that is missing, fresh, stale and fresh again shows in Available and in the label of the cluster', async (t) => {
    const { clock, advance } = timed
    const scene = await started(t)
    const addon = await scene.addon([], scene)
    await scene.reaches(addon, available, 'Unknown', 'ManagedClusterAddOnLeaseNotFound')
    await featureIs(scene, addon, 'unreachable')

    await renew(scene, addon)
    const renewedAt = clock.now()
    await scene.reaches(addon, available, 'True', 'ManagedClusterAddOnLeaseUpdated')
    await featureIs(scene, addon, 'available')

    // To the very end of the grace and no further.
    await advance(renewedAt.getTime() + 299_900 - clock.now().getTime(), 60)
    assert.equal((await scene.addonCondition(addon, available))?.status, 'True')
    await clock.advance(renewedAt.getTime() + 300_000 - clock.now().getTime())
    await scene.reaches(addon, available, 'False', 'ManagedClusterAddOnLeaseUpdateStopped')
    await featureIs(scene, addon, 'unhealthy')

    await renew(scene, addon)
    await scene.reaches(addon, available, 'True', 'ManagedClusterAddOnLeaseUpdated')
    await featureIs(scene, addon, 'available')
    await scene.home.of(leases, scene.installNamespace).delete(addon)
    await scene.reaches(addon, available, 'Unknown', 'ManagedClusterAddOnLeaseNotFound')
  })

  test('of an add-on whose health is somebody else’s to tell the agent says nothing', async (t) => {
    const scene = await started(t)
    const addon = await scene.addon([], scene)
    await scene.reaches(addon, available, 'Unknown')
    const told = { type: available, status: 'True', reason: 'Probed', message: 'it answers' }
    const body = {
      status: {
        healthCheck: { mode: 'Customized' },
        conditions: [{ ...told, lastTransitionTime: '2026-01-01T00:00:00Z' }],
      },
    }
    await scene.admin
      .of(ManagedClusterAddOn.resource, scene.cluster)
      .patch(addon, { type: 'merge', body }, { subresource: 'status' })
    await featureIs(scene, addon, 'available')
    await renew(scene, addon)
    // Another add-on shows that the agent has seen the lease.
    const witness = await scene.addon([], scene)
    await renew(scene, witness)
    await scene.reaches(witness, available, 'True')
    assert.equal((await scene.addonCondition(addon, available))?.reason, 'Probed')
  })

  test('R66: leases make Available True, False or Unknown; with the whole cluster Unknown so are all its add-ons, until it is heard again', async (t) => {
    const { advance } = timed
    const scene = await started(t)
    await scene.admin
      .of(ManagedCluster.resource)
      .patch(scene.cluster, { type: 'merge', body: { spec: { leaseDurationSeconds: 10 } } })
    const fresh = await scene.addon([], scene)
    const missing = await scene.addon([], scene)
    const stale = await scene.addon([], scene)
    await renew(scene, stale)
    await scene.reaches(stale, available, 'True')
    await advance('300s', 150)
    await renew(scene, fresh)
    const before = async () => {
      await scene.reaches(fresh, available, 'True', 'ManagedClusterAddOnLeaseUpdated')
      await scene.reaches(stale, available, 'False', 'ManagedClusterAddOnLeaseUpdateStopped')
      await scene.reaches(missing, available, 'Unknown', 'ManagedClusterAddOnLeaseNotFound')
    }
    await before()

    await scene.stop()
    await advance('51s', 20)
    const silent = await eventually('the cluster is silent', () => scene.condition(conditions.available), {
      until: (found) => found?.status === 'Unknown',
    })
    for (const addon of [fresh, missing, stale]) {
      const found = await scene.reaches(addon, available, 'Unknown', silent?.reason)
      assert.equal(found.message, silent?.message)
      await featureIs(scene, addon, 'unreachable')
    }
    // One that is made in the meantime is no better known.
    const late = await scene.addon([], scene)
    await scene.reaches(late, available, 'Unknown', silent?.reason)

    scene.start()
    await isJoined(scene)
    await before()
    await scene.reaches(late, available, 'Unknown', 'ManagedClusterAddOnLeaseNotFound')
    await featureIs(scene, fresh, 'available')
    await featureIs(scene, stale, 'unhealthy')
  })
})
