import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { done } from '../../../src/core/outcome.ts'
import { annotations, conditions, labels, rbacNames } from '../../../src/fleet/names.ts'
import { clusterRoles, namespaces } from '../../../src/kube/kinds.ts'
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
  works,
} from '../../support/membership-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'

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
    accepts: true,
    mayAutoAccept: () => 'a test says so',
    run: async () => {},
  }
  before(async () => {
    plane = await startControlPlane(scope, {})
    hub = await membershipScene(scope, plane, { drivers: [driver] })
  })

  const clusters = () => hub.admin.of(ManagedCluster.resource)
  const isGone = (name: string) => eventually(`${name} is gone`, async () => !(await clusters().find(name)))
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

  test('R51: what a cluster leaves behind that vanished is cleared up, seen by this hub or not', async () => {
    const populated = async (name: string) => {
      await hub.accepted(name)
      await addons(hub.admin, name).create({ metadata: { name: 'one' }, spec: {} })
      await heldWork(hub.admin, name, 'one')
    }
    const vanish = async (name: string) => {
      await clusters().delete(name)
      await clusters().patch(name, letGo)
    }
    const workIsDeleted = (name: string) =>
      eventually(
        'its work is deleted',
        async () => (await works(hub.admin, name).get('one')).metadata.deletionTimestamp,
      )
    const isClear = async (name: string) => {
      await works(hub.admin, name).patch('one', letGo)
      const left = async () => ({
        rights: (await presentRights(hub.admin, name)).join(),
        addons: (await addons(hub.admin, name).list()).items.length,
        works: (await works(hub.admin, name).list()).items.length,
      })
      await eventually(`nothing of ${name} is left but its namespace`, left, {
        until: ({ rights, addons, works }) => rights === 'namespace' && addons + works === 0,
      })
    }

    await populated('seen')
    await vanish('seen')
    await workIsDeleted('seen')
    await eventually('the agent may only clear up its work', () => presentRights(hub.admin, 'seen'), {
      until: (present) => present.join() === 'namespace,work',
    })
    await isClear('seen')
    assert.ok(revoked.includes('seen'))

    await populated('unseen')
    await hub.stop()
    await vanish('unseen')
    hub = await membershipScene(scope, plane, { drivers: [driver] })
    await workIsDeleted('unseen')
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

  test('a cluster that was never accepted is held all the same while something outside is on record for it', async () => {
    const record = { [annotations.awsRole]: 'ocm-hub-1:aws-auth:begun' }
    await clusters().create({ metadata: { name: 'begun', annotations: record } })
    await eventually('it is held', async () => (await hub.cluster('begun')).metadata.finalizers?.length)
    await clusters().delete('begun')
    await eventually('it says why', async () => {
      const said = (await hub.cluster('begun')).status?.conditions?.find(({ type }) => type === conditions.deleting)
      return said?.reason === 'DeletingError' && said.message.includes(annotations.awsRole)
    })
    const body = { metadata: { annotations: { [annotations.awsRole]: null } } }
    await clusters().patch('begun', { type: 'merge', body })
    await isGone('begun')
    assert.ok(revoked.includes('begun'))
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

  test('R50: rights go before the cluster, the namespace stays, and the shared roles go with the last cluster', async () => {
    const shared = async () => {
      const names = [rbacNames.registrationRole, rbacNames.workRole]
      const found = await Promise.all(names.map((name) => hub.admin.of(clusterRoles).find(name)))
      return found.filter(Boolean).length
    }
    for (const name of ['fifty', 'last']) await hub.accepted(name)
    for (const { metadata } of (await clusters().list()).items)
      if (!['fifty', 'last'].includes(metadata.name)) await clusters().delete(metadata.name)
    await heldWork(hub.admin, 'fifty', 'one')
    await addons(hub.admin, 'fifty').create({ metadata: { name: 'one' }, spec: {} })
    // Somebody else's finalizer shows the moment after the hub has let go.
    const { finalizers = [] } = (await hub.cluster('fifty')).metadata
    const watched = { metadata: { finalizers: [...finalizers, 'example.com/watching'] } }
    await clusters().patch('fifty', { type: 'merge', body: watched })
    await clusters().delete('fifty')
    const work = () => works(hub.admin, 'fifty').get('one')
    await eventually('the work is deleted', async () => (await work()).metadata.deletionTimestamp)
    assert.deepEqual(await presentRights(hub.admin, 'fifty'), allRights)
    await works(hub.admin, 'fifty').patch('one', letGo)
    const { status } = await eventually('the hub has let go', () => hub.cluster('fifty'), {
      until: ({ metadata }) => metadata.finalizers?.join() === 'example.com/watching',
    })
    assert.deepEqual(await presentRights(hub.admin, 'fifty'), ['namespace'])
    assert.ok(revoked.includes('fifty'))
    const said = status?.conditions?.find(({ type }) => type === conditions.deleting)
    assert.deepEqual([said?.status, said?.reason], ['True', 'NoResource'])
    await clusters().patch('fifty', letGo)
    await isGone('fifty')
    assert.equal((await rightsOf(hub.admin, 'fifty')).namespace?.metadata.deletionTimestamp, undefined)
    await eventually('one cluster is left', async () => (await clusters().list()).items.length === 1)
    assert.equal(await shared(), 2)

    await clusters().delete('last')
    await eventually('the shared roles are gone', async () => (await shared()) === 0)
    assert.equal(await clusters().find('last'), undefined)
    assert.deepEqual(await presentRights(hub.admin, 'last'), ['namespace'])

    // Also if the hub had ended before it came to that.
    await hub.accepted('very-last')
    assert.equal(await shared(), 2)
    await hub.stop()
    await clusters().delete('very-last')
    await clusters().patch('very-last', letGo)
    hub = await membershipScene(scope, plane, { drivers: [driver] })
    await eventually('the next hub removes the shared roles', async () => (await shared()) === 0)
    await eventually('and what is left of the cluster', () => presentRights(hub.admin, 'very-last'), {
      until: (present) => present.join() === 'namespace',
    })
  })

  test('the namespaces that are kept of former clusters are not searched again by the next hub', async () => {
    await hub.accepted('former')
    await clusters().delete('former')
    await isGone('former')
    const unmarked = async () => {
      const { items } = await hub.admin.of(namespaces).list({ labelSelector: labels.clusterName })
      const names = new Set((await clusters().list()).items.map(({ metadata }) => metadata.name))
      return items.filter(
        ({ metadata }) => !names.has(metadata.name) && !(annotations.cleared in (metadata.annotations ?? {})),
      )
    }
    await eventually('all are marked', unmarked, { until: ({ length }) => length === 0 })
    await hub.stop()
    hub = await membershipScene(scope, plane, { drivers: [driver] })
    await hub.accepted('next')
    const searches = hub.requests.filter(({ target }) => /^(manifestworks|managedclusteraddons)/.test(target))
    assert.deepEqual(searches, [])

    // A later cluster of the name that vanishes is cleared up all the same.
    await hub.accepted('former')
    await works(hub.admin, 'former').create({ metadata: { name: 'one' }, spec: {} })
    await hub.stop()
    await clusters().delete('former')
    await clusters().patch('former', letGo)
    hub = await membershipScene(scope, plane, { drivers: [driver] })
    await eventually('its work is gone', async () => (await works(hub.admin, 'former').list()).items.length === 0)
  })
})
