import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import type { CheckpointName } from '../../../src/core/checkpoint.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { MembershipScene } from '../../support/membership-scene.ts'
import { addons, allRights, condition, membershipScene, presentRights, works } from '../../support/membership-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'

const accepted = 'HubAcceptedManagedCluster'

describe('a hub that ends between any two of its effects', needsControlPlane, () => {
  const scope = suiteScope()
  let plane: ControlPlane
  before(async () => {
    plane = await startControlPlane(scope, {})
  })

  interface Kill {
    at: CheckpointName
    prepare?(hub: MembershipScene): Promise<void>
    act(hub: MembershipScene): Promise<void>
  }

  /**
   * Lets a hub run until it passes a checkpoint after `act`, and no further: from there on nothing it tries reaches the
   * server, as when its process is killed.
   */
  async function kill(t: TestScope, { at, prepare, act }: Kill) {
    const killed = Promise.withResolvers<void>()
    let stop: (() => Promise<void>) | undefined
    let isDead = false
    const hub = await membershipScene(t, plane, {
      checkpoint: (passed) => {
        if (!stop || (passed !== at && !isDead)) return
        isDead = true
        stop().then(killed.resolve, killed.reject)
        throw new Error(`killed at ${passed}`)
      },
    })
    // What earlier tests left is looked at before this one is accepted.
    await hub.accepted(`before-${at.replace('.', '-')}`)
    await prepare?.(hub)
    stop = hub.stop
    await act(hub)
    await killed.promise
  }

  const settled = async (hub: MembershipScene, name: string, reason: string, status: string) => {
    const { status: said, metadata } = await condition(hub, name, accepted, status, reason)
    const types = said?.conditions?.map(({ type }) => type) ?? []
    assert.equal(new Set(types).size, types.length, 'no condition twice')
    assert.equal(new Set(metadata.finalizers).size, metadata.finalizers?.length, 'no finalizer twice')
  }

  const toAccept: CheckpointName[] = [
    'acceptance.finalizers-added',
    'acceptance.namespace-created',
    'acceptance.rbac-applied',
    'acceptance.reported',
  ]
  for (const name of toAccept)
    test(`accepts after a kill at ${name}`, async (t) => {
      const cluster = name.replace('.', '-')
      await kill(t, {
        at: name,
        act: async ({ admin }) => {
          const spec = { hubAcceptsClient: true }
          await admin.of(ManagedCluster.resource).create({ metadata: { name: cluster }, spec })
        },
      })
      const next = await membershipScene(t, plane)
      await settled(next, cluster, 'HubClusterAdminAccepted', 'True')
      assert.deepEqual(await presentRights(next.admin, cluster), allRights)
    })

  const toDeny: CheckpointName[] = ['denial.rights-shrunk', 'denial.registration-removed', 'denial.reported']
  for (const name of toDeny)
    test(`denies after a kill at ${name}`, async (t) => {
      const cluster = name.replace('.', '-')
      await kill(t, {
        at: name,
        prepare: async (hub) => void (await hub.accepted(cluster)),
        act: (hub) => hub.setAccepted(cluster, false),
      })
      const next = await membershipScene(t, plane)
      await settled(next, cluster, 'HubClusterAdminDenied', 'False')
      assert.deepEqual(await presentRights(next.admin, cluster), ['binding', 'namespace', 'role'])
    })

  const toDelete: CheckpointName[] = [
    'deletion.addons-gone',
    'deletion.works-gone',
    'deletion.rbac-removed',
    'deletion.finalizer-dropped',
  ]
  for (const name of toDelete)
    test(`deletes after a kill at ${name}`, async (t) => {
      const cluster = name.replace('.', '-')
      await kill(t, {
        at: name,
        async prepare(hub) {
          await hub.accepted(cluster)
          await addons(hub.admin, cluster).create({ metadata: { name: 'one' }, spec: {} })
          await works(hub.admin, cluster).create({ metadata: { name: 'one' }, spec: {} })
        },
        act: async ({ admin }) => void (await admin.of(ManagedCluster.resource).delete(cluster)),
      })
      const { admin } = await membershipScene(t, plane)
      await eventually('it is gone', async () => !(await admin.of(ManagedCluster.resource).find(cluster)))
      assert.deepEqual(await presentRights(admin, cluster), ['namespace'])
      const left = [await addons(admin, cluster).list(), await works(admin, cluster).list()].map(
        ({ items }) => items.length,
      )
      assert.deepEqual(left, [0, 0])
    })
})
