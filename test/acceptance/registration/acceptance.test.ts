import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { done } from '../../../src/core/outcome.ts'
import { clusterGroups, finalizers, labels, rbacNames } from '../../../src/fleet/names.ts'
import { isConflict, isNotFound } from '../../../src/kube/failures.ts'
import { clusterRoleBindings, clusterRoles, namespaces, roleBindings } from '../../../src/kube/kinds.ts'
import type { Collection } from '../../../src/kube/kube.ts'
import type { KubeObject } from '../../../src/kube/objects.ts'
import type { HubDriver } from '../../../src/registration/drivers/driver.ts'
import { accepted, ensureFinalizers } from '../../../src/registration/hub/membership/acceptance.ts'
import type { Membership } from '../../../src/registration/hub/membership/context.ts'
import { report } from '../../../src/registration/hub/membership/report.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { MembershipScene } from '../../support/membership-scene.ts'
import { allRights, condition, membershipScene, presentRights, rightsOf } from '../../support/membership-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'

const acceptedCondition = 'HubAcceptedManagedCluster'

describe('acceptance', needsControlPlane, () => {
  const scope = suiteScope()
  let hub: MembershipScene
  /** What the driver does, by cluster. */
  const drives = new Map<string, () => void>()
  const driver: HubDriver = {
    name: 'csr',
    grant: {
      async ensure({ metadata }) {
        drives.get(metadata.name)?.()
        return done
      },
      revoke: async () => done,
    },
    accepts: true,
    mayAutoAccept: () => 'a test says so',
    run: async () => {},
  }
  before(async () => {
    const plane = await startControlPlane(scope, {})
    hub = await membershipScene(scope, plane, { settings: { labels: { team: 'fleet' } }, drivers: [driver] })
  })
  const writes = () =>
    hub.requests.filter(({ method }) => method !== 'GET').map(({ method, target }) => `${method} ${target}`)

  test('R6: an accepted cluster has its namespace and its rights, for both groups and labelled', async () => {
    const { metadata, status } = await hub.accepted('six')
    const { namespace, role, binding, registration, work } = await rightsOf(hub.admin, 'six')
    for (const object of [namespace, role, binding, registration, work]) {
      assert.equal(object?.metadata.labels?.[labels.clusterName], 'six')
      assert.equal(object?.metadata.labels?.['team'], 'fleet')
    }
    const subjects = clusterGroups('six').map((name) => ({
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'Group',
      name,
    }))
    for (const bound of [binding, registration, work]) assert.deepEqual(bound?.subjects, subjects)
    assert.deepEqual(
      [binding, registration, work].map((bound) => bound?.roleRef.name),
      [rbacNames.cluster('six'), rbacNames.registrationRole, rbacNames.workRole],
    )
    assert.deepEqual(work?.metadata.finalizers, [finalizers.manifestWorkCleanup])
    assert.deepEqual(
      role?.rules?.map(({ resources, resourceNames, verbs }) => [resources, resourceNames, verbs]),
      [
        [['certificatesigningrequests'], undefined, ['create', 'get', 'list', 'watch']],
        [['managedclusters/clientcertificates'], ['six'], ['renew']],
        [['managedclusters'], ['six'], ['get', 'list', 'patch', 'update', 'watch']],
        [['managedclusters/status'], ['six'], ['patch', 'update']],
      ],
    )
    for (const name of [rbacNames.registrationRole, rbacNames.workRole]) {
      const common = await hub.admin.of(clusterRoles).get(name)
      assert.deepEqual([common.metadata.labels?.[labels.clusterName], common.metadata.labels?.['team']], ['', 'fleet'])
    }
    assert.deepEqual(metadata.finalizers?.toSorted(), [finalizers.apiResourceCleanup, finalizers.resourceCleanup])
    const said = status?.conditions?.find(({ type }) => type === acceptedCondition)
    assert.equal(said?.message, 'Accepted by hub cluster admin')
  })

  test('R7: whatever of an accepted cluster is edited or deleted is restored in one reconcile', async () => {
    await hub.accepted('seven')
    const bindings = hub.admin.of(roleBindings, 'seven')
    const name = rbacNames.cluster('seven')
    const stranger = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'mallory' }]
    const noLabel = { metadata: { labels: { [labels.clusterName]: null } } }
    const owned: [string, Collection<KubeObject>, string, object[]][] = [
      ['namespaces', hub.admin.of(namespaces), 'seven', [noLabel, { metadata: { labels: { team: 'other' } } }]],
      [
        'clusterroles',
        hub.admin.of(clusterRoles),
        name,
        [{ rules: [] }, noLabel, { metadata: { labels: { [labels.clusterName]: 'other' } } }],
      ],
      ['clusterrolebindings', hub.admin.of(clusterRoleBindings), name, [{ subjects: stranger }, noLabel]],
      ['rolebindings', bindings, `${name}:registration`, [{ subjects: stranger }, noLabel]],
      ['rolebindings', bindings, `${name}:work`, [{ subjects: stranger }, { metadata: { finalizers: null } }, noLabel]],
      ['clusterroles', hub.admin.of(clusterRoles), rbacNames.registrationRole, [{ rules: [] }, noLabel]],
      ['clusterroles', hub.admin.of(clusterRoles), rbacNames.workRole, [{ rules: [] }, noLabel]],
    ]
    const patches = (plural: string) =>
      hub.requests.filter(({ method, target }) => method === 'PATCH' && target.split('.')[0] === plural)
    for (const [plural, collection, object, edits] of owned) {
      const before = contentOf(await collection.get(object))
      for (const body of edits) {
        hub.requests.length = 0
        await collection.patch(object, { type: 'merge', body })
        await eventually(`${object} is as before ${JSON.stringify(body)}`, () => collection.get(object), {
          until: (now) => JSON.stringify(contentOf(now)) === JSON.stringify(before),
        })
        // The hub may hear of its own write after us.
        await eventually(`the hub wrote ${object}`, () => patches(plural).length > 0)
        assert.equal(patches(plural).length, 1, writes().join(', '))
      }
      const { uid } = (await collection.get(object)).metadata
      await collection.delete(object)
      await eventually(`${object} is there again`, () => collection.find(object), {
        until: (now) => now !== undefined && now.metadata.uid !== uid && !now.metadata.deletionTimestamp,
      })
      assert.deepEqual(contentOf(await collection.get(object)), before)
      await eventually('nothing is missing', () => presentRights(hub.admin, 'seven'), {
        until: (present) => present.length === allRights.length,
      })
      await condition(hub, 'seven', acceptedCondition, 'True', 'HubClusterAdminAccepted')
    }
  })

  test('an acceptance takes 7 requests, and nothing more when something else of the cluster changes', async () => {
    hub.requests.length = 0
    await hub.accepted('warm-up')
    // We may see its writes before it has their answers, and they are counted then.
    await eventually('the hub has all its answers', () => writes().some((write) => write.endsWith('/status')))
    hub.requests.length = 0
    await hub.admin.of(ManagedCluster.resource).create({ metadata: { name: 'counted' } })
    await eventually('the hub has taken note', async () =>
      (await hub.cluster('counted')).metadata.finalizers?.includes(finalizers.resourceCleanup),
    )
    await eventually('the hub has its answer', () => hub.requests.length > 0)
    hub.requests.length = 0
    await hub.setAccepted('counted', true)
    await condition(hub, 'counted', acceptedCondition, 'True', 'HubClusterAdminAccepted')
    await hub.admin.of(ManagedCluster.resource).patch('counted', {
      type: 'merge',
      body: { metadata: { labels: { a: 'b' } } },
    })
    await hub.accepted('after')
    await eventually('the hub has all its answers', () => hub.requests.length >= 2 * 7)
    assert.equal(hub.requests.length, 2 * 7, writes().join(', '))
  })

  test('a namespace that is there already is adopted and keeps what it has', async () => {
    const collection = hub.admin.of(namespaces)
    const { metadata } = await collection.create({
      metadata: { name: 'adopted', labels: { mine: 'yes' }, annotations: { note: 'keep' } },
    })
    await hub.accepted('adopted')
    const now = await collection.get('adopted')
    assert.equal(now.metadata.uid, metadata.uid)
    assert.deepEqual([now.metadata.labels?.['mine'], now.metadata.annotations?.['note']], ['yes', 'keep'])
    assert.equal(now.metadata.labels?.[labels.clusterName], 'adopted')
  })

  test('a cluster that was never accepted gets nothing but the finalizer for its add-ons and works', async () => {
    await hub.admin.of(ManagedCluster.resource).create({ metadata: { name: 'waiting' } })
    await hub.accepted('later')
    const { metadata, status } = await eventually('it is held', () => hub.cluster('waiting'), {
      until: (cluster) => (cluster.metadata.finalizers?.length ?? 0) > 0,
    })
    assert.deepEqual(metadata.finalizers, [finalizers.resourceCleanup])
    assert.equal(status?.conditions, undefined)
    assert.deepEqual(await presentRights(hub.admin, 'waiting'), [])
  })

  test('a hub that acts on an old view of a cluster keeps what others wrote, and makes none again that is gone', async () => {
    const clusters = hub.admin.of(ManagedCluster.resource)
    const membership = hub.deps as Membership
    const { signal } = new AbortController()
    const old = await clusters.create({ metadata: { name: 'old-view' } })
    const others = [
      { type: 'Other', status: 'True', reason: 'x', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ]
    await clusters.patch('old-view', { type: 'merge', body: { metadata: { finalizers: ['example.com/mine'] } } })
    await clusters.patch(
      'old-view',
      { type: 'merge', body: { status: { conditions: others } } },
      { subresource: 'status' },
    )
    await ensureFinalizers(membership, old, 'accepted', signal)
    await report(membership, old, accepted, signal)
    const { metadata, status } = await clusters.get('old-view')
    for (const finalizer of ['example.com/mine', finalizers.apiResourceCleanup, finalizers.resourceCleanup])
      assert.ok(metadata.finalizers?.includes(finalizer), finalizer)
    const types = status?.conditions?.map(({ type }) => type) ?? []
    for (const type of ['Other', acceptedCondition]) assert.ok(types.includes(type), type)

    await clusters.delete('old-view')
    await clusters.patch('old-view', { type: 'merge', body: { metadata: { finalizers: null } } })
    await eventually('it is gone', async () => !(await clusters.find('old-view')))
    await assert.rejects(ensureFinalizers(membership, old, 'accepted', signal), isNotFound)
    const { name, uid } = old.metadata
    await assert.rejects(clusters.apply({ metadata: { name, uid } }, { fieldManager: 'test' }), isConflict)
    assert.equal(await clusters.find('old-view'), undefined)
  })

  test('a driver that fails shows as an error until it succeeds', async () => {
    let isBroken = true
    drives.set('unlucky', () => {
      if (isBroken) throw new Error('the role could not be made')
    })
    await hub.admin
      .of(ManagedCluster.resource)
      .create({ metadata: { name: 'unlucky' }, spec: { hubAcceptsClient: true } })
    const { status } = await condition(hub, 'unlucky', acceptedCondition, 'False', 'Error')
    const said = status?.conditions?.find(({ type }) => type === acceptedCondition)
    assert.equal(said?.message, 'the role could not be made; the hub tries again')
    isBroken = false
    await condition(hub, 'unlucky', acceptedCondition, 'True', 'HubClusterAdminAccepted')
  })

  test('nobody can become a cluster whose namespace or role is somebody else’s', async () => {
    for (const name of ['kube-system', 'work', 'registration']) {
      await hub.admin.of(ManagedCluster.resource).create({ metadata: { name }, spec: { hubAcceptsClient: true } })
      await condition(hub, name, acceptedCondition, 'False', 'Error')
    }
    await hub.accepted('innocent')
    const bound = await hub.admin.of(roleBindings, 'kube-system').find(rbacNames.registrationBinding('kube-system'))
    assert.equal(bound, undefined)
    for (const name of ['work', 'registration']) {
      await hub.setAccepted(name, false)
      await hub.admin.of(ManagedCluster.resource).delete(name)
      await eventually('it is gone', async () => !(await hub.admin.of(ManagedCluster.resource).find(name)))
    }
    await hub.accepted('innocent-too')
    const common = await hub.admin.of(clusterRoles).get(rbacNames.workRole)
    assert.equal(common.rules?.length, 3)
  })
})

/** All that tells one state of an object from another, except its version. */
function contentOf(object: KubeObject): unknown {
  const { metadata: { labels: has = {}, finalizers: held } = {}, ...rest } = object as KubeObject & { status?: object }
  const { [labels.clusterName]: cluster, team } = has
  return { ...rest, status: undefined, spec: undefined, cluster, team, held }
}
