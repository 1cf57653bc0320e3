/** What the hub makes for the tokens of an add-on, keeps as it should be, and takes away again. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { systemClock } from '../../../src/core/clock.ts'
import type { Condition } from '../../../src/core/conditions.ts'
import { findCondition } from '../../../src/core/conditions.ts'
import {
  accountUser,
  addonAccounts,
  addonConditions,
  addonLabels,
  clusterGroups,
  conditions,
  labels,
} from '../../../src/fleet/names.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import { events, roleBindings, roles, serviceAccounts } from '../../../src/kube/kinds.ts'
import { addonHub } from '../../support/addon-scene.ts'
import { setAccepted } from '../../support/agent-scene.ts'
import { aServiceAccount, uniqueName } from '../../support/builders.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { HubScene } from '../../support/fleet-scene.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { Heard } from '../../support/traffic.ts'
import { traffic } from '../../support/traffic.ts'

const type = addonConditions.tokenInfrastructureReady
const extra = { 'example.com/team': 'fleet' }

describe('the token infrastructure of add-ons', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  let admin: KubeClient
  let hub: HubScene
  before(async () => {
    plane = await startControlPlane(suite, {})
    hub = await addonHub(suite, plane, { addons: { labels: extra } })
    admin = hub.admin
  })

  async function acceptedCluster(): Promise<string> {
    const cluster = uniqueName('cluster')
    await admin.of(ManagedCluster.resource).create({ metadata: { name: cluster }, spec: { hubAcceptsClient: true } })
    await eventually(`${cluster} is accepted`, async () => {
      const { status } = await admin.of(ManagedCluster.resource).get(cluster)
      return findCondition(status?.conditions as Condition[], conditions.accepted)?.status === 'True'
    })
    return cluster
  }
  const addonsOf = (cluster: string) => admin.of(ManagedClusterAddOn.resource, cluster)
  const say = (cluster: string, addon: string, status: object) =>
    addonsOf(cluster).patch(addon, { type: 'merge', body: { status } }, { subresource: 'status' })
  /** As the agent declares it. */
  const declare = (cluster: string, addon: string, user?: string, driver: 'token' | 'csr' = 'token') =>
    say(cluster, addon, {
      registrations: [{ type: 'kubeClient', kubeClient: { driver, ...(user && { subject: { user } }) } }],
    })
  const [ours, theirs] = [0, 1].map((form) => (cluster: string, addon: string) => {
    return addonAccounts(cluster, addon)[form] ?? ''
  }) as [(cluster: string, addon: string) => string, (cluster: string, addon: string) => string]
  async function anAddon(cluster: string, accountOf = ours, name = uniqueName('addon')): Promise<string> {
    await addonsOf(cluster).create({ metadata: { name }, spec: {} })
    await declare(cluster, name, accountUser(cluster, accountOf(cluster, name)))
    return name
  }
  const conditionOf = async (cluster: string, addon: string) =>
    findCondition((await addonsOf(cluster).find(addon))?.status?.conditions as Condition[], type)
  const announces = (cluster: string, addon: string, account: string) =>
    eventually(`${account} is announced`, async () => {
      const found = await admin.of(serviceAccounts, cluster).find(account)
      const condition = await conditionOf(cluster, addon)
      const message = `ServiceAccount ${cluster}/${account} (UID: ${found?.metadata.uid}) is ready`
      return condition?.status === 'True' && condition.message === message ? found : undefined
    })
  /** What there is of an add-on: both forms of its account, its role and its binding. */
  async function present(cluster: string, addon: string): Promise<string[]> {
    const found = await Promise.all([
      ...addonAccounts(cluster, addon).map((name) => admin.of(serviceAccounts, cluster).find(name)),
      admin.of(roles, cluster).find(`${addon}-token-role`),
      admin.of(roleBindings, cluster).find(`${addon}-token-role`),
    ])
    return ['ours', 'theirs', 'role', 'binding'].filter((_, index) => found[index])
  }
  const comesTo = (cluster: string, addon: string, expected: string[]) =>
    eventually(
      `of ${addon} there is ${expected.join() || 'nothing'}`,
      async () => assert.deepEqual(await present(cluster, addon), expected) === undefined,
    )

  test('R68: an add-on with the driver token gets an account, a right to its tokens alone for both groups, and word of it', async () => {
    const cluster = await acceptedCluster()
    const addon = await anAddon(cluster)
    const account = ours(cluster, addon)
    const { metadata } = await announces(cluster, addon, account)
    const condition = await conditionOf(cluster, addon)
    assert.deepEqual(
      [condition?.status, condition?.reason, condition?.message],
      ['True', 'TokenInfrastructureReady', `ServiceAccount ${cluster}/${account} (UID: ${metadata.uid}) is ready`],
    )
    const name = `${addon}-token-role`
    const role = await admin.of(roles, cluster).get(name)
    const binding = await admin.of(roleBindings, cluster).get(name)
    assert.deepEqual(role.rules, [
      { apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: [account], verbs: ['create'] },
    ])
    assert.deepEqual(
      binding.subjects?.map(({ kind, name: group }) => [kind, group]),
      clusterGroups(cluster).map((group) => ['Group', group]),
    )
    assert.deepEqual(binding.roleRef, { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name })
    for (const object of [metadata, role.metadata, binding.metadata])
      assert.deepEqual(object.labels, {
        ...extra,
        [addonLabels.name]: addon,
        [addonLabels.tokenInfrastructure]: 'true',
        [labels.clusterName]: cluster,
      })
  })

  test('an add-on costs four writes, and nothing once it has everything', async (t) => {
    const other = await startControlPlane(t, {})
    const heard = traffic(systemClock)
    const { admin: kube } = await addonHub(t, other, {
      hub: kubeClient(t, other.connection(), { onRequest: heard.onRequest }),
    })
    const clusters = kube.of(ManagedCluster.resource)
    await clusters.create({ metadata: { name: 'west' }, spec: { hubAcceptsClient: true } })
    const isIn = async () => {
      const { status } = await clusters.get('west')
      return findCondition(status?.conditions as Condition[], conditions.accepted)?.status === 'True'
    }
    await eventually('it is accepted', isIn)
    const hasLease = ({ what, code }: Heard) => what === 'POST leases.coordination.k8s.io' && code === 201
    await eventually('the hub has done all else for it', async () => {
      const { spec } = await clusters.get('west')
      return spec?.taints?.length === 1 && heard.all.some(hasLease)
    })
    const addons = kube.of(ManagedClusterAddOn.resource, 'west')
    const names = Array.from({ length: 20 }, (_, index) => `addon-${index}`)
    for (const name of names) await addons.create({ metadata: { name }, spec: {} })
    const before = heard.count
    for (const name of names) {
      const registrations = [
        {
          type: 'kubeClient',
          kubeClient: { driver: 'token', subject: { user: accountUser('west', `${name}-agent`) } },
        },
      ]
      await addons.patch(name, { type: 'merge', body: { status: { registrations } } }, { subresource: 'status' })
    }
    await eventually('all are ready', async () =>
      (await addons.list()).items.every(
        ({ status }) => findCondition(status?.conditions as Condition[], type)?.status === 'True',
      ),
    )
    // The hub asks its API server by the real clock whether it is there, add-ons or none.
    const calls = () => heard.since(before).filter(({ watch, what }) => !watch && what !== 'GET /readyz')
    await eventually('the last answer is in', () => calls().length >= 4 * names.length)
    const counts = Object.groupBy(calls(), ({ what }) => what)
    assert.deepEqual(Object.fromEntries(Object.entries(counts).map(([what, same]) => [what, same?.length])), {
      'POST serviceaccounts': 20,
      'POST roles.rbac.authorization.k8s.io': 20,
      'POST rolebindings.rbac.authorization.k8s.io': 20,
      'PATCH managedclusteraddons.addon.open-cluster-management.io/status': 20,
    })
  })

  test('R70a: an account that is deleted is made again, and its new UID is announced', async () => {
    const cluster = await acceptedCluster()
    const addon = await anAddon(cluster)
    const account = ours(cluster, addon)
    const first = await announces(cluster, addon, account)
    await admin.of(serviceAccounts, cluster).delete(account)
    await eventually('there is another', async () => {
      const found = await admin.of(serviceAccounts, cluster).find(account)
      return found && found.metadata.uid !== first.metadata.uid
    })
    await announces(cluster, addon, account)
  })

  test('whatever is changed or removed of it is put right', async () => {
    const cluster = await acceptedCluster()
    const addon = await anAddon(cluster)
    const account = ours(cluster, addon)
    const first = await announces(cluster, addon, account)
    const name = `${addon}-token-role`
    const [someRoles, someBindings] = [admin.of(roles, cluster), admin.of(roleBindings, cluster)]
    const unlabelled = { metadata: { labels: { [addonLabels.tokenInfrastructure]: null } } }
    const changes: (() => Promise<unknown>)[] = [
      () => someRoles.delete(name),
      () => someBindings.delete(name),
      () => someRoles.patch(name, { type: 'merge', body: { rules: [] } }),
      () => someBindings.patch(name, { type: 'merge', body: { subjects: [] } }),
      () => someRoles.patch(name, { type: 'merge', body: unlabelled }),
      () => someBindings.patch(name, { type: 'merge', body: unlabelled }),
      () => admin.of(serviceAccounts, cluster).patch(account, { type: 'merge', body: unlabelled }),
      () =>
        admin
          .of(serviceAccounts, cluster)
          .patch(account, { type: 'merge', body: { metadata: { labels: { 'example.com/team': 'other' } } } }),
      () => say(cluster, addon, { conditions: [] }),
    ]
    for (const change of changes) {
      await change()
      await eventually('all is as it was', async () => {
        const role = await someRoles.find(name)
        const binding = await someBindings.find(name)
        const { metadata } = await admin.of(serviceAccounts, cluster).get(account)
        assert.deepEqual(role?.rules?.[0]?.resourceNames, [account])
        assert.equal(binding?.subjects?.length, 2)
        assert.equal(metadata.uid, first.metadata.uid)
        for (const object of [role?.metadata, binding?.metadata, metadata])
          assert.deepEqual(
            [object?.labels?.[addonLabels.tokenInfrastructure], object?.labels?.['example.com/team']],
            ['true', 'fleet'],
          )
        assert.equal((await conditionOf(cluster, addon))?.status, 'True')
        return true
      })
    }
  })

  test('the account has the form that the subject names, and another form replaces it', async () => {
    const cluster = await acceptedCluster()
    const addon = await anAddon(cluster, theirs)
    await announces(cluster, addon, theirs(cluster, addon))
    await comesTo(cluster, addon, ['theirs', 'role', 'binding'])
    await declare(cluster, addon, accountUser(cluster, ours(cluster, addon)))
    await announces(cluster, addon, ours(cluster, addon))
    await comesTo(cluster, addon, ['ours', 'role', 'binding'])
    const role = await admin.of(roles, cluster).get(`${addon}-token-role`)
    assert.deepEqual(role.rules?.[0]?.resourceNames, [ours(cluster, addon)])
  })

  test('F47: a driver that is declared without a user gets the account of the field, which is announced', async () => {
    const cluster = await acceptedCluster()
    for (const subject of [undefined, {}, { user: '' }, { user: '', groups: [] }]) {
      const addon = uniqueName('addon')
      await addonsOf(cluster).create({ metadata: { name: addon }, spec: {} })
      const kubeClient = { driver: 'token', ...(subject && { subject }) }
      await say(cluster, addon, { registrations: [{ type: 'kubeClient', kubeClient }] })
      await announces(cluster, addon, theirs(cluster, addon))
      await comesTo(cluster, addon, ['theirs', 'role', 'binding'])
      const { rules } = await admin.of(roles, cluster).get(`${addon}-token-role`)
      assert.deepEqual(rules?.[0]?.resourceNames, [theirs(cluster, addon)])
      // What is announced is put right like any other announcement.
      const stranger = {
        type,
        status: 'True',
        reason: 'Other',
        message: 'm',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      }
      await say(cluster, addon, { conditions: [stranger] })
      await announces(cluster, addon, theirs(cluster, addon))
    }
    const addon = await anAddon(cluster)
    await announces(cluster, addon, ours(cluster, addon))
    await declare(cluster, addon)
    await announces(cluster, addon, theirs(cluster, addon))
    await comesTo(cluster, addon, ['theirs', 'role', 'binding'])
  })

  test('an account that is not one of the add-on is refused', async () => {
    const cluster = await acceptedCluster()
    const addon = await anAddon(cluster)
    await announces(cluster, addon, ours(cluster, addon))
    for (const user of [
      accountUser(cluster, 'default'),
      accountUser(`${cluster}0`, theirs(cluster, addon)),
      accountUser(cluster, `${theirs(cluster, addon)}1`),
      'system:admin',
    ]) {
      await declare(cluster, addon, user)
      await eventually('it is refused', async () => {
        const condition = await conditionOf(cluster, addon)
        const isSaid = condition?.message.includes(`declared as ${user};`)
        return condition?.status === 'False' && condition.reason === 'TokenInfrastructureApplyFailed' && isSaid
      })
      await comesTo(cluster, addon, [])
      await declare(cluster, addon, undefined, 'csr')
      await eventually('the condition is gone', async () => (await conditionOf(cluster, addon)) === undefined)
    }
  })

  test("somebody else's account of that name is left alone, and the condition says what to do", async () => {
    const cluster = await acceptedCluster()
    const name = uniqueName('addon')
    const account = theirs(cluster, name)
    const foreign = await admin.of(serviceAccounts, cluster).create(aServiceAccount(account))
    const addon = await anAddon(cluster, theirs, name)
    const condition = await eventually('it fails', async () => {
      const found = await conditionOf(cluster, addon)
      return found?.status === 'False' ? found : undefined
    })
    assert.equal(condition.reason, 'TokenInfrastructureApplyFailed')
    assert.match(condition.message, new RegExp(`ServiceAccount ${cluster}/${account} is there .*delete it`))
    const found = await admin.of(serviceAccounts, cluster).get(account)
    assert.deepEqual([found.metadata.uid, found.metadata.labels], [foreign.metadata.uid, undefined])
    assert.deepEqual(await present(cluster, addon), ['theirs'])
    await eventually('an event says so', async () =>
      (await admin.of(events, cluster).list()).items.some(({ reason }) => reason === 'TokenInfrastructureApplyFailed'),
    )
    await admin.of(serviceAccounts, cluster).delete(account)
    await announces(cluster, addon, account)
  })

  test("the right to the tokens of an account goes once the account is somebody else's", async () => {
    const cluster = await acceptedCluster()
    const addon = await anAddon(cluster)
    await announces(cluster, addon, ours(cluster, addon))
    const account = theirs(cluster, addon)
    await admin.of(serviceAccounts, cluster).create(aServiceAccount(account))
    await declare(cluster, addon, accountUser(cluster, account))
    await comesTo(cluster, addon, ['theirs'])
    await eventually('it fails', async () => (await conditionOf(cluster, addon))?.status === 'False')
    await declare(cluster, addon, accountUser(cluster, ours(cluster, addon)))
    await announces(cluster, addon, ours(cluster, addon))
    await comesTo(cluster, addon, ['ours', 'theirs', 'role', 'binding'])
  })

  test('two add-ons whose accounts would have one name do not share it', async () => {
    const cluster = await acceptedCluster()
    const name = uniqueName('addon')
    const first = await anAddon(cluster, ours, name)
    await announces(cluster, first, ours(cluster, name))
    const second = await anAddon(cluster, theirs, `${cluster}-${name}`)
    assert.equal(theirs(cluster, second), ours(cluster, first))
    await eventually('it fails', async () => (await conditionOf(cluster, second))?.status === 'False')
    assert.deepEqual(await present(cluster, second), ['theirs'])
    await announces(cluster, first, ours(cluster, name))
  })

  const ends: Record<string, (cluster: string, addon: string) => Promise<unknown>> = {
    'the driver is csr': (cluster, addon) => declare(cluster, addon, 'someone', 'csr'),
    'there is no registration': (cluster, addon) => say(cluster, addon, { registrations: [] }),
    'it is deleted': (cluster, addon) => addonsOf(cluster).delete(addon),
    'it is being deleted': async (cluster, addon) => {
      const finalizers = ['example.com/held']
      await addonsOf(cluster).patch(addon, { type: 'merge', body: { metadata: { finalizers } } })
      await addonsOf(cluster).delete(addon)
    },
    'its cluster is denied': (cluster) => setAccepted(admin, cluster, false),
  }
  for (const [when, end] of Object.entries(ends))
    test(`R72a: everything goes when ${when}`, async () => {
      const cluster = await acceptedCluster()
      const [addon, other] = [await anAddon(cluster), await anAddon(cluster)]
      await announces(cluster, addon, ours(cluster, addon))
      await announces(cluster, other, ours(cluster, other))
      await end(cluster, addon)
      await comesTo(cluster, addon, [])
      if (when === 'its cluster is denied') await comesTo(cluster, other, [])
      else await announces(cluster, other, ours(cluster, other))
      if (when === 'it is being deleted')
        await addonsOf(cluster).patch(addon, { type: 'merge', body: { metadata: { finalizers: [] } } })
      else await eventually('nothing speaks of it', async () => (await conditionOf(cluster, addon)) === undefined)
    })

  test('what is left of an add-on that went while no hub ran is removed when one starts', async (t) => {
    const other = await startControlPlane(t, {})
    const first = await addonHub(t, other)
    const [kube] = [first.admin]
    await kube.of(ManagedCluster.resource).create({ metadata: { name: 'west' }, spec: { hubAcceptsClient: true } })
    const addons = kube.of(ManagedClusterAddOn.resource, 'west')
    const accounts = kube.of(serviceAccounts, 'west')
    await eventually('its namespace is there', () =>
      addons.create({ metadata: { name: 'logs' }, spec: {} }).catch(() => undefined),
    )
    const registrations = [
      { type: 'kubeClient', kubeClient: { driver: 'token', subject: { user: accountUser('west', 'logs-agent') } } },
    ]
    await addons.patch('logs', { type: 'merge', body: { status: { registrations } } }, { subresource: 'status' })
    await eventually('there is an account', () => accounts.find('logs-agent'))
    await eventually('and its right', () => kube.of(roleBindings, 'west').find('logs-token-role'))
    await first.stop()
    await addons.delete('logs')
    await addonHub(t, other)
    await eventually('nothing is left', async () => {
      const left = await Promise.all([
        accounts.find('logs-agent'),
        kube.of(roles, 'west').find('logs-token-role'),
        kube.of(roleBindings, 'west').find('logs-token-role'),
      ])
      return left.every((object) => object === undefined)
    })
  })
})
