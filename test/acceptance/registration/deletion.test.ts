import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { done } from '../../../src/core/outcome.ts'
import { conditions, rbacNames } from '../../../src/fleet/names.ts'
import { clusterRoles } from '../../../src/kube/kinds.ts'
import type { HubDriver } from '../../../src/registration/drivers/driver.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { MembershipScene } from '../../support/membership-scene.ts'
import {
  addons,
  allRights,
  heldWork,
  letGo,
  membershipScene,
  presentRights,
  rightsOf,
  suiteScope,
  works,
} from '../../support/membership-scene.ts'

describe('deletion', needsControlPlane, () => {
  const scope = suiteScope()
  let plane: ControlPlane
  let hub: MembershipScene
  const revoked: string[] = []
  const driver: HubDriver = {
    name: 'csr',
    grant: {
      ensure: async () => done,
      async revoke({ metadata }) {
        revoked.push(metadata.name)
        return done
      },
    },
    mayAutoAccept: () => true,
    run: async () => {},
  }
  before(async () => {
    plane = await startControlPlane(scope, {})
    hub = await membershipScene(scope, plane, { drivers: [driver] })
  })

  const clusters = () => hub.admin.of(ManagedCluster.resource)
  const isGone = (name: string) =>
    eventually(`${name} is gone`, async () => !(await clusters().find(name)), { withinMs: 20_000 })
  const heldAddon = (cluster: string, name: string) =>
    addons(hub.admin, cluster).create({ metadata: { name, finalizers: ['example.com/held'] }, spec: {} })
  /** The message once the hub says that this much remains. */
  const remaining = (name: string, beginning: string) =>
    eventually(`it says ${beginning}`, async () => {
      const said = (await hub.cluster(name)).status?.conditions?.find(({ type }) => type === conditions.deleting)
      return said?.reason === 'ResourceRemaining' && said.status === 'False' && said.message.startsWith(beginning)
    })
  const namesOf = async (collection: ReturnType<typeof works>, deleted: boolean) =>
    (await collection.list()).items
      .filter(({ metadata }) => (metadata.deletionTimestamp !== undefined) === deleted)
      .map(({ metadata }) => metadata.name)
      .sort()

  test('R49: add-ons go first, then works by ascending priority, and the cluster says how many are left', async () => {
    const name = 'forty-nine'
    await hub.accepted(name)
    await heldAddon(name, 'first')
    await heldAddon(name, 'second')
    for (const [work, priority] of [
      ['a', '50'],
      ['b', '7'],
      ['c', undefined],
      ['d', 'soon'],
      ['e', '101'],
      ['f', '50'],
    ])
      await heldWork(hub.admin, name, work ?? '', priority)
    await clusters().delete(name)

    await remaining(name, 'managedclusteraddons.addon.open-cluster-management.io: 2 remaining, 2 of them held')
    assert.deepEqual(await namesOf(works(hub.admin, name), true), [], 'no work before the add-ons')
    await addons(hub.admin, name).patch('first', letGo)
    await remaining(name, 'managedclusteraddons.addon.open-cluster-management.io: 1 remaining, 1 of them held')
    assert.deepEqual(await namesOf(works(hub.admin, name), true), [], 'no work before the last add-on')
    assert.deepEqual(await presentRights(hub.admin, name), allRights, 'the agent can still clear up')
    await addons(hub.admin, name).patch('second', letGo)

    for (const [left, group] of [
      [6, ['c', 'd', 'e']],
      [3, ['b']],
      [2, ['a', 'f']],
    ] as const) {
      await remaining(name, `manifestworks.work.open-cluster-management.io: ${left} remaining`)
      await eventually('this group is deleted, and no other', () => namesOf(works(hub.admin, name), true), {
        until: (deleted) => deleted.join() === group.join(),
      })
      assert.equal((await hub.admin.of(clusterRoles).get(rbacNames.cluster(name))).rules?.length, 4)
      for (const work of group) await works(hub.admin, name).patch(work, letGo)
    }
    await isGone(name)
  })

  test('R50: rights go before the cluster, the namespace stays, and the shared roles go with the last cluster', async (t) => {
    const own = await startControlPlane(t, {})
    const alone = await membershipScene(t, own, { drivers: [driver] })
    const all = alone.admin.of(ManagedCluster.resource)
    const shared = async () =>
      (
        await Promise.all(
          [rbacNames.registrationRole, rbacNames.workRole].map((name) => alone.admin.of(clusterRoles).find(name)),
        )
      ).filter(Boolean).length
    for (const name of ['fifty', 'last']) await alone.accepted(name)
    await heldWork(alone.admin, 'fifty', 'one')
    await addons(alone.admin, 'fifty').create({ metadata: { name: 'one' }, spec: {} })
    // Somebody else's finalizer shows the moment after the hub has let go.
    const held = {
      metadata: { finalizers: [...((await all.get('fifty')).metadata.finalizers ?? []), 'example.com/watching'] },
    }
    await all.patch('fifty', { type: 'merge', body: held })
    await all.delete('fifty')
    await eventually(
      'the work is deleted',
      async () => (await works(alone.admin, 'fifty').get('one')).metadata.deletionTimestamp,
    )
    await works(alone.admin, 'fifty').patch('one', letGo)
    const seen = await eventually('the hub has let go', () => all.get('fifty'), {
      until: ({ metadata }) => metadata.finalizers?.join() === 'example.com/watching',
    })
    assert.deepEqual(await presentRights(alone.admin, 'fifty'), ['namespace'])
    assert.ok(revoked.includes('fifty'))
    const said = seen.status?.conditions?.find(({ type }) => type === conditions.deleting)
    assert.deepEqual([said?.status, said?.reason], ['True', 'NoResource'])
    await all.patch('fifty', letGo)
    await eventually('it is gone', async () => !(await all.find('fifty')))
    assert.equal((await rightsOf(alone.admin, 'fifty')).namespace?.metadata.deletionTimestamp, undefined)
    assert.equal(await shared(), 2)

    await all.delete('last')
    await eventually('the shared roles are gone', async () => (await shared()) === 0)
    assert.equal(await all.find('last'), undefined)
    assert.deepEqual(await presentRights(alone.admin, 'last'), ['namespace'])
  })

  test('R51: what a cluster leaves behind that vanished is cleared up, seen by this hub or not', async (t) => {
    const own = await startControlPlane(t, {})
    const first = await membershipScene(t, own, { drivers: [driver] })
    const all = first.admin.of(ManagedCluster.resource)
    const vanish = async (name: string) => {
      await first.accepted(name)
      await addons(first.admin, name).create({ metadata: { name: 'one' }, spec: {} })
      await heldWork(first.admin, name, 'one')
    }
    const isClear = (name: string) =>
      eventually(
        `nothing of ${name} is left but its namespace`,
        async () => ({
          rights: await presentRights(first.admin, name),
          addons: (await addons(first.admin, name).list()).items.length,
          works: (await works(first.admin, name).list()).items.length,
        }),
        { until: (now) => now.rights.join() === 'namespace' && now.addons + now.works === 0 },
      )

    await vanish('seen')
    await all.delete('seen')
    await all.patch('seen', letGo)
    await eventually(
      'its work is deleted',
      async () => (await works(first.admin, 'seen').get('one')).metadata.deletionTimestamp,
    )
    const { work } = await rightsOf(first.admin, 'seen')
    assert.ok(work, 'the agent can still clear up its work')
    await eventually(
      'all other rights are gone',
      async () => (await presentRights(first.admin, 'seen')).join() === 'namespace,work',
    )
    await works(first.admin, 'seen').patch('one', letGo)
    await isClear('seen')
    assert.ok(revoked.includes('seen'))

    await vanish('unseen')
    await first.stop()
    await all.delete('unseen')
    await all.patch('unseen', letGo)
    await membershipScene(t, own, { drivers: [driver] })
    await eventually(
      'its work is deleted',
      async () => (await works(first.admin, 'unseen').get('one')).metadata.deletionTimestamp,
    )
    await works(first.admin, 'unseen').patch('one', letGo)
    await isClear('unseen')
  })

  test('a cluster that was never accepted, or is denied, can be deleted as well', async () => {
    await clusters().create({ metadata: { name: 'never' } })
    await eventually('it is held', async () => (await hub.cluster('never')).metadata.finalizers?.length)
    await clusters().delete('never')
    await isGone('never')
    await hub.accepted('no-more')
    await hub.setAccepted('no-more', false)
    await clusters().delete('no-more')
    await isGone('no-more')
    assert.deepEqual(await presentRights(hub.admin, 'no-more'), ['namespace'])
  })

  test('a cluster deleted and made again under its name starts as a new one', async () => {
    await hub.accepted('again')
    await clusters().delete('again')
    await isGone('again')
    await clusters().create({ metadata: { name: 'again' } })
    await eventually('it is held', async () => (await hub.cluster('again')).metadata.finalizers?.length)
    assert.deepEqual(await presentRights(hub.admin, 'again'), ['namespace'])
    await hub.setAccepted('again', true)
    await eventually(
      'it has its rights',
      async () => (await presentRights(hub.admin, 'again')).length === allRights.length,
    )
  })
})
