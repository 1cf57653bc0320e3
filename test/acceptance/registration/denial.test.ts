import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { rfc3339 } from '../../../src/core/conditions.ts'
import { done } from '../../../src/core/outcome.ts'
import { annotations, finalizers, rbacNames } from '../../../src/fleet/names.ts'
import { clusterRoles } from '../../../src/kube/kinds.ts'
import type { HubDriver } from '../../../src/registration/drivers/driver.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { MembershipScene } from '../../support/membership-scene.ts'
import {
  allRights,
  condition,
  heldWork,
  letGo,
  membershipScene,
  presentRights,
  rightsOf,
  works,
} from '../../support/membership-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { timedPlane } from '../../support/timed-plane.ts'

const acceptedCondition = 'HubAcceptedManagedCluster'
const graceMs = 3_600_000
const isDenied = (hub: MembershipScene, name: string) =>
  condition(hub, name, acceptedCondition, 'False', 'HubClusterAdminDenied')

describe('denial', needsControlPlane, () => {
  const scope = suiteScope()
  let hub: MembershipScene
  const asked: string[] = []
  const driver: HubDriver = {
    name: 'csr',
    grant: {
      async ensure({ metadata }) {
        asked.push(`ensure ${metadata.name}`)
        return done
      },
      async revoke({ metadata }) {
        asked.push(`revoke ${metadata.name}`)
        return done
      },
    },
    accepts: true,
    mayAutoAccept: () => 'a test says so',
    run: async () => {},
  }
  before(async () => {
    hub = await membershipScene(scope, await startControlPlane(scope, {}), { drivers: [driver] })
  })

  test('R30: a cluster that is denied keeps only the sight of itself, and its works their binding until they are gone', async () => {
    const { metadata } = await hub.accepted('thirty')
    await heldWork(hub.admin, 'thirty', 'one')
    await heldWork(hub.admin, 'thirty', 'two')
    const before = await rightsOf(hub.admin, 'thirty')
    await hub.setAccepted('thirty', false)
    const { status } = await isDenied(hub, 'thirty')
    const said = status?.conditions?.find(({ type }) => type === acceptedCondition)
    assert.equal(said?.message, 'Denied by hub cluster admin')
    const { role, binding, registration, work, namespace } = await rightsOf(hub.admin, 'thirty')
    assert.deepEqual(role?.rules, [
      {
        apiGroups: ['cluster.open-cluster-management.io'],
        resources: ['managedclusters'],
        verbs: ['get', 'list', 'watch'],
        resourceNames: ['thirty'],
      },
    ])
    assert.equal(binding?.metadata.uid, before.binding?.metadata.uid)
    assert.equal(registration, undefined)
    assert.ok(work?.metadata.deletionTimestamp)
    assert.deepEqual(work?.metadata.finalizers, [finalizers.manifestWorkCleanup])
    assert.ok(namespace && !namespace.metadata.deletionTimestamp)
    assert.ok(asked.includes('revoke thirty'))

    await works(hub.admin, 'thirty').patch('one', letGo)
    await works(hub.admin, 'thirty').delete('one')
    await hub.accepted('bystander')
    assert.ok((await rightsOf(hub.admin, 'thirty')).work, 'one work is left')

    await works(hub.admin, 'thirty').patch('two', letGo)
    await works(hub.admin, 'thirty').delete('two')
    await eventually('the last binding is gone', () => presentRights(hub.admin, 'thirty'), {
      until: (present) => !present.includes('work'),
    })
    assert.deepEqual(await presentRights(hub.admin, 'thirty'), ['binding', 'namespace', 'role'])
    assert.equal((await hub.cluster('thirty')).metadata.uid, metadata.uid)
  })

  test('R30a: the one right that is left is restored when somebody gives the agent more', async () => {
    await hub.accepted('meddled')
    await hub.setAccepted('meddled', false)
    await isDenied(hub, 'meddled')
    const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]
    await hub.admin.of(clusterRoles).patch(rbacNames.cluster('meddled'), { type: 'merge', body: { rules: everything } })
    await eventually('it is taken back', async () => {
      const { role } = await rightsOf(hub.admin, 'meddled')
      return role?.rules?.[0]?.verbs.length === 3
    })
  })

  test('a denied cluster that is accepted again has everything back, even while its works held the old binding', async () => {
    await hub.accepted('forgiven')
    await heldWork(hub.admin, 'forgiven', 'one')
    const before = await rightsOf(hub.admin, 'forgiven')
    await hub.setAccepted('forgiven', false)
    await isDenied(hub, 'forgiven')
    await hub.setAccepted('forgiven', true)
    await condition(hub, 'forgiven', acceptedCondition, 'True', 'HubClusterAdminAccepted')
    assert.deepEqual(await presentRights(hub.admin, 'forgiven'), allRights)
    const { role, work } = await rightsOf(hub.admin, 'forgiven')
    assert.deepEqual(role?.rules, before.role?.rules)
    assert.equal(work?.metadata.deletionTimestamp, undefined)
    assert.deepEqual(work?.metadata.finalizers, [finalizers.manifestWorkCleanup])
    // Of others it is asked again and again, at any moment.
    const itsOwn = asked.filter((words) => words.endsWith(' forgiven'))
    assert.equal(itsOwn.at(-1), 'ensure forgiven')
  })

  test('a cluster that was never accepted is not denied either, and loses what an earlier one of its name had', async () => {
    await hub.admin
      .of(ManagedCluster.resource)
      .create({ metadata: { name: 'never' }, spec: { hubAcceptsClient: false } })
    await hub.admin.of(clusterRoles).create({
      metadata: {
        name: rbacNames.cluster('never'),
        labels: { 'open-cluster-management.io/cluster-name': 'never' },
      },
      rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
    })
    await eventually('the old role is gone', async () => (await presentRights(hub.admin, 'never')).length === 0)
    assert.equal((await hub.cluster('never')).status?.conditions, undefined)
  })
})

test(
  'R85a: a cluster whose agent took it off goes after the grace period; one that was denied stays',
  needsControlPlane,
  async (t) => {
    const { plane, clock, advance } = await timedPlane(t)
    const hub = await membershipScene(t, plane, { clock, settings: { unjoinGraceMs: graceMs } })
    const clusters = hub.admin.of(ManagedCluster.resource)
    for (const name of ['left', 'back', 'denied']) await hub.accepted(name)
    const unjoinedAt = rfc3339(clock.now())
    const unjoined = { metadata: { annotations: { [annotations.unjoinedAt]: unjoinedAt } } }
    for (const name of ['left', 'back'])
      await clusters.patch(name, { type: 'merge', body: { ...unjoined, spec: { hubAcceptsClient: false } } })
    await hub.setAccepted('denied', false)
    for (const name of ['left', 'back', 'denied']) await isDenied(hub, name)
    await clusters.patch('back', {
      type: 'merge',
      body: { metadata: { annotations: { [annotations.unjoinedAt]: null } }, spec: { hubAcceptsClient: true } },
    })
    await condition(hub, 'back', acceptedCondition, 'True', 'HubClusterAdminAccepted')
    await eventually(
      'the hub has seen all of it',
      () => hub.deps.view.clusters.get('left')?.metadata.annotations?.[annotations.unjoinedAt],
    )

    // A minute before it is due, not a second: waiting for the witness takes time of the clock, too.
    const dueAt = Date.parse(unjoinedAt) + graceMs
    await advance(dueAt - 60_000 - clock.now().getTime())
    await hub.accepted('witness')
    assert.ok(clock.now().getTime() < dueAt, 'the clock is not past it')
    assert.ok(await clusters.find('left'), 'not a moment too early')
    await advance('61s')
    await eventually('it is gone', async () => !(await clusters.find('left')))
    assert.deepEqual(await presentRights(hub.admin, 'left'), ['namespace'])
    assert.ok(await clusters.find('denied'))
    assert.ok(await clusters.find('back'))
  },
)
