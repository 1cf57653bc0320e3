/** What the hub says to writes of clusters and bindings before they are stored. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { ManagedClusterSetBinding } from '../../../src/apis/cluster/managed-cluster-set-binding.ts'
import { agentUser, defaultSet, labels, registerGroup } from '../../../src/fleet/names.ts'
import { leases, namespaces, serviceAccounts } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { refusalOf } from '../../support/admission-hook.ts'
import { aNamespace, aServiceAccount, uniqueName } from '../../support/builders.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { rawCall } from '../../support/raw-call.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { WebhookScene } from '../../support/webhook-scene.ts'
import { convertAddOns, serveWebhooks } from '../../support/webhook-scene.ts'

const { group } = ManagedCluster.resource

const mayAccept = (cluster: string) => ({
  apiGroups: [registerGroup],
  resources: ['managedclusters/accept'],
  resourceNames: [cluster],
  verbs: ['update'],
})

const maySet = (act: 'join' | 'bind', set: string) => ({
  apiGroups: [group],
  resources: [`managedclustersets/${act}`],
  resourceNames: [set],
  verbs: ['create'],
})

const clustersOf = (kube: Kube) => kube.of(ManagedCluster.resource)

const patchCluster = (kube: Kube, name: string, body: object) => clustersOf(kube).patch(name, { type: 'merge', body })

const codeOf = async (call: Promise<unknown>) => (await refusalOf(call)).code

describe('the webhooks of the hub', needsControlPlane, () => {
  const clock = new FakeClock('2026-03-01T12:00:00Z')
  const suite = suiteScope()
  let plane: ControlPlane
  let scene: WebhookScene
  let admin: Kube

  before(async () => {
    plane = await startControlPlane(suite, {})
    scene = await serveWebhooks(suite, plane, { clock })
    admin = scene.admin
  })

  test('R31: only who may accept a cluster sets hubAcceptsClient to true, and not while its namespace is terminating', async () => {
    const plain = await scene.user('plain')
    const accepting = await scene.user('accepting', mayAccept('west'), mayAccept('ending'))
    const isTrue = { spec: { hubAcceptsClient: true } }

    const refused = await refusalOf(clustersOf(plain).create({ metadata: { name: 'west' }, ...isTrue }))
    assert.deepEqual([refused.code, refused.reason], [403, 'Forbidden'])
    assert.match(refused.message, /"plain" lacks the right to update managedclusters\/accept .* named west;/)
    await clustersOf(plain).create({ metadata: { name: 'west' } })
    assert.equal(await codeOf(patchCluster(plain, 'west', isTrue)), 403)
    assert.equal((await clustersOf(admin).get('west')).spec?.hubAcceptsClient, undefined)

    // The right is for one cluster, by its whole name.
    await clustersOf(plain).create({ metadata: { name: 'west1' } })
    assert.equal(await codeOf(patchCluster(accepting, 'west1', isTrue)), 403)
    await patchCluster(accepting, 'west', isTrue)

    // A user without the right changes every other field, before and after.
    await patchCluster(plain, 'west1', { metadata: { labels: { region: 'eu' } } })
    await patchCluster(plain, 'west', { metadata: { labels: { region: 'eu' } }, spec: { leaseDurationSeconds: 30 } })
    assert.equal((await clustersOf(admin).get('west')).spec?.hubAcceptsClient, true)
    await patchCluster(accepting, 'west', { spec: { hubAcceptsClient: false } })
    assert.equal(await codeOf(patchCluster(plain, 'west', isTrue)), 403)

    const finalizers = ['lanyard.io/test']
    await admin.of(namespaces).create({ ...aNamespace('ending'), metadata: { name: 'ending', finalizers } })
    await admin.of(namespaces).delete('ending')
    const whileEnding = await refusalOf(clustersOf(accepting).create({ metadata: { name: 'ending' }, ...isTrue }))
    assert.equal(whileEnding.code, 403)
    assert.match(whileEnding.message, /the namespace ending is being deleted/)
    await clustersOf(accepting).create({ metadata: { name: 'ending' } })
    assert.equal(await codeOf(patchCluster(accepting, 'ending', isTrue)), 403)
    await patchCluster(accepting, 'ending', { metadata: { labels: { region: 'eu' } } })
    await admin.of(namespaces).patch('ending', { type: 'merge', body: { metadata: { finalizers: null } } })
  })

  test('F7a: the acceptance is taken back by who may accept the cluster and by its own agent, and by nobody else', async () => {
    const plain = await scene.user('denying')
    const accepting = await scene.user('accepting-back', mayAccept('back'))
    const own = await scene.user(agentUser('back', 'a1'))
    const near = await scene.user(agentUser('back1', 'a1'))
    const isAccepted = async () => (await clustersOf(admin).get('back')).spec?.hubAcceptsClient === true
    await clustersOf(admin).create({ metadata: { name: 'back' }, spec: { hubAcceptsClient: true } })

    for (const hubAcceptsClient of [false, null])
      for (const kube of [plain, near]) {
        const refused = await refusalOf(patchCluster(kube, 'back', { spec: { hubAcceptsClient } }))
        assert.deepEqual([refused.code, refused.reason], [403, 'Forbidden'])
        assert.match(refused.message, /lacks the right to update managedclusters\/accept .* named back;/)
      }
    const read = await clustersOf(plain).get('back')
    const put = clustersOf(plain).update({ ...read, spec: { ...read.spec, hubAcceptsClient: false } })
    assert.equal(await codeOf(put), 403)
    const applied = { metadata: { name: 'back' }, spec: { hubAcceptsClient: false } }
    assert.equal(await codeOf(clustersOf(plain).apply(applied, { fieldManager: 'plain', force: true })), 403)
    assert.equal(await isAccepted(), true)

    for (const kube of [accepting, own]) {
      await patchCluster(kube, 'back', { spec: { hubAcceptsClient: false } })
      assert.equal(await isAccepted(), false)
      // What is not accepted, and stays so, is anybody's to write.
      await patchCluster(plain, 'back', { metadata: { labels: { region: 'eu' } } })
      await patchCluster(accepting, 'back', { spec: { hubAcceptsClient: true } })
    }
  })

  test('F7b: who may not delete a cluster gives it no owner that takes it along, and no finalizer to begin with', async () => {
    const plain = await scene.user('owning')
    const deleting = await scene.user('deleting', {
      apiGroups: [group],
      resources: ['managedclusters'],
      resourceNames: ['owned'],
      verbs: ['delete'],
    })
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'mine', uid: '6f1c0d0e-6f5e-4f0f-9b8e-0f5d2f1a7c11' }
    const more = { ...owner, kind: 'Secret', uid: '6f1c0d0e-6f5e-4f0f-9b8e-0f5d2f1a7c12' }
    for (const metadata of [{ ownerReferences: [owner] }, { finalizers: ['example.com/held'] }]) {
      const refused = await refusalOf(clustersOf(plain).create({ metadata: { name: 'owned', ...metadata } }))
      assert.equal(refused.code, 403)
      assert.match(refused.message, /"owning" lacks the right to delete managedclusters .* named owned;/)
    }
    await clustersOf(plain).create({ metadata: { name: 'owned' } })
    assert.equal(await codeOf(patchCluster(plain, 'owned', { metadata: { ownerReferences: [owner] } })), 403)
    await patchCluster(deleting, 'owned', { metadata: { ownerReferences: [owner] } })
    // What is there already is nobody's doing who changes something else.
    await patchCluster(plain, 'owned', { metadata: { labels: { region: 'eu' } } })
    assert.equal(await codeOf(patchCluster(plain, 'owned', { metadata: { ownerReferences: [owner, more] } })), 403)
    const gone = { ...owner, name: 'never-there' }
    assert.equal(await codeOf(patchCluster(plain, 'owned', { metadata: { ownerReferences: [gone] } })), 403)
  })

  test('F10a: to accept a cluster into a namespace that was not made for it warns, with what is there', async () => {
    const path = `/apis/${group}/v1/managedclusters`
    const accepting = (name: string) => ({
      apiVersion: `${group}/v1`,
      kind: 'ManagedCluster',
      metadata: { name },
      spec: { hubAcceptsClient: true },
    })
    const warningsOf = async (name: string) => {
      const { code, warnings } = await rawCall(plane, { method: 'POST', path, body: accepting(name) })
      assert.equal(code, 201)
      return warnings
    }
    const held = uniqueName('held')
    await admin.of(namespaces).create(aNamespace(held))
    await admin.of(leases, held).create({ metadata: { name: 'their-leader' }, spec: {} })
    await admin.of(serviceAccounts, held).create(aServiceAccount('their-account'))
    const [warning = '', ...others] = await warningsOf(held)
    assert.deepEqual(others, [])
    assert.match(warning, new RegExp(`a namespace ${held} is there and was not made for the cluster`))
    assert.match(warning, /1 ServiceAccount \(their-account\)/)
    assert.match(warning, /1 Lease \(their-leader\)/)
    assert.match(warning, /not looked at: Pod, Deployment, ConfigMap, Secret/)

    // Its own from before, and one that is to be made, are nobody else's.
    const own = uniqueName('own')
    const ownLabels = { [labels.clusterName]: own }
    await admin.of(namespaces).create({ ...aNamespace(own), metadata: { name: own, labels: ownLabels } })
    assert.deepEqual(await warningsOf(own), [])
    assert.deepEqual(await warningsOf(uniqueName('new')), [])
    // What is accepted is not looked at again.
    const patched = { metadata: { labels: { region: 'eu' } } }
    const contentType = 'application/merge-patch+json'
    const again = await rawCall(plane, { method: 'PATCH', path: `${path}/${held}`, body: patched, contentType })
    assert.deepEqual([again.code, again.warnings], [200, []])
  })

  test('R32: an address that is not https, and a name that is no DNS label, are refused with 400 and their field', async () => {
    const withUrl = (url: string) => ({
      spec: { managedClusterClientConfigs: [{ url: 'https://fine.example' }, { url }] },
    })
    for (const url of ['http://unsafe.example', 'unsafe.example:6443', 'https://', '']) {
      const created = await refusalOf(clustersOf(admin).create({ metadata: { name: 'addressed' }, ...withUrl(url) }))
      assert.equal(created.code, 400, url)
      assert.match(created.message, /spec\.managedClusterClientConfigs\[1\]\.url must be an https URL/)
    }
    await clustersOf(admin).create({ metadata: { name: 'addressed' }, ...withUrl('https://api.example:6443') })
    const updated = await refusalOf(patchCluster(admin, 'addressed', withUrl('http://unsafe.example')))
    assert.equal(updated.code, 400)
    assert.match(updated.message, /spec\.managedClusterClientConfigs\[1\]\.url/)
    const { spec } = await clustersOf(admin).get('addressed')
    assert.equal(spec?.managedClusterClientConfigs?.[1]?.url, 'https://api.example:6443')

    for (const name of ['dotted.name', 'Upper', 'under_score', '-dash', 'dash-', 'a'.repeat(64)])
      for (const body of [{}, withUrl('https://api.example')]) {
        const refused = await refusalOf(clustersOf(admin).create({ metadata: { name }, ...body }))
        assert.equal(refused.code, 400, name)
        assert.match(refused.message, /metadata\.name must be a DNS label/)
      }
    const generated = await refusalOf(clustersOf(admin).create({ metadata: { generateName: 'dotted.name-' } }))
    assert.equal(generated.code, 400)
    assert.match(generated.message, /metadata\.name must be a DNS label/)
    await clustersOf(admin).create({ metadata: { name: 'a'.repeat(63) } })
  })

  test('R33: a cluster is in the set default unless somebody who may join it to both sets moves it', async () => {
    const label = labels.clusterSet
    const setOf = async (name: string) => (await clustersOf(admin).get(name)).metadata.labels?.[label]
    const move = (kube: Kube, name: string, set: string | null) =>
      patchCluster(kube, name, { metadata: { labels: { [label]: set } } })
    const plain = await scene.user('mover')
    const joins = await scene.user('joins', maySet('join', defaultSet), maySet('join', 'red'))

    await clustersOf(plain).create({ metadata: { name: 'unset' } })
    await clustersOf(plain).create({ metadata: { name: 'empty', labels: { [label]: '' } } })
    await clustersOf(plain).create({ metadata: { name: 'said', labels: { [label]: defaultSet } } })
    for (const name of ['unset', 'empty', 'said']) assert.equal(await setOf(name), defaultSet)
    for (const nothing of [null, '']) {
      await move(plain, 'unset', nothing)
      assert.equal(await setOf('unset'), defaultSet)
    }

    const refused = await refusalOf(move(plain, 'unset', 'red'))
    assert.deepEqual([refused.code, refused.reason], [403, 'Forbidden'])
    assert.match(refused.message, /managedclustersets\/join .* named (default|red);/)
    const born = { metadata: { name: 'born', labels: { [label]: 'red' } } }
    assert.equal(await codeOf(clustersOf(plain).create(born)), 403)

    await clustersOf(joins).create(born)
    await move(joins, 'unset', 'red')
    assert.equal(await setOf('unset'), 'red')
    // The right to join the set it leaves is not enough, nor is that to join the one it enters.
    assert.equal(await codeOf(move(joins, 'unset', 'blue')), 403)
    await move(admin, 'empty', 'blue')
    assert.equal(await codeOf(move(joins, 'empty', 'red')), 403)
    // To take the label away is to move to default.
    assert.equal(await codeOf(move(plain, 'unset', null)), 403)
    assert.equal(await setOf('unset'), 'red')
    await move(joins, 'unset', null)
    assert.equal(await setOf('unset'), defaultSet)
    await patchCluster(plain, 'empty', { metadata: { labels: { region: 'eu' } } })
    assert.equal(await setOf('empty'), 'blue')
  })

  test('R34: the hub dates taints, refuses dates of others on update, and a lease duration of 0 is 60', async () => {
    const taintsOf = async (name: string) =>
      (await clustersOf(admin).get(name)).spec?.taints?.map(({ key, effect, timeAdded }) => [key, effect, timeAdded])
    const [noon, one, two] = ['2026-03-01T12:00:00Z', '2026-03-01T13:00:00Z', '2026-03-01T14:00:00Z']
    const taint = (key: string, more: object = {}) => ({ key, effect: 'NoSelect' as const, ...more })
    const taints = [taint('a'), taint('b', { timeAdded: '2020-01-01T00:00:00Z' })]
    await clustersOf(admin).create({ metadata: { name: 'tainted' }, spec: { taints } })
    const born = [
      ['a', 'NoSelect', noon],
      ['b', 'NoSelect', noon],
    ]
    assert.deepEqual(await taintsOf('tainted'), born)

    await clock.advance('1h')
    const dated = [
      [taint('a', { timeAdded: one }), taint('b')],
      [taint('a'), taint('b'), taint('c', { timeAdded: noon })],
    ]
    for (const [index, wrong] of [
      [0, dated[0]],
      [2, dated[1]],
    ] as const) {
      const refused = await refusalOf(patchCluster(admin, 'tainted', { spec: { taints: wrong } }))
      assert.equal(refused.code, 400)
      assert.ok(refused.message.includes(`spec.taints[${index}].timeAdded must not be set`), refused.message)
    }
    assert.deepEqual(await taintsOf('tainted'), born)

    // What was read may be sent back, and may be left out; what changes or is new is dated anew.
    await patchCluster(admin, 'tainted', {
      spec: { taints: [taint('a', { timeAdded: noon, effect: 'PreferNoSelect' }), taint('b'), taint('c')] },
    })
    assert.deepEqual(await taintsOf('tainted'), [
      ['a', 'PreferNoSelect', one],
      ['b', 'NoSelect', noon],
      ['c', 'NoSelect', one],
    ])
    await clock.advance('1h')
    const read = await clustersOf(admin).get('tainted')
    const changed = (read.spec?.taints ?? []).map((taint) => (taint.key === 'b' ? { ...taint, value: 'v' } : taint))
    await clustersOf(admin).update({ ...read, spec: { ...read.spec, taints: changed } })
    assert.deepEqual(await taintsOf('tainted'), [
      ['a', 'PreferNoSelect', one],
      ['b', 'NoSelect', two],
      ['c', 'NoSelect', one],
    ])

    const leaseOf = async (name: string) => (await clustersOf(admin).get(name)).spec?.leaseDurationSeconds
    await clustersOf(admin).create({ metadata: { name: 'unleased' } })
    await clustersOf(admin).create({ metadata: { name: 'leased' }, spec: { leaseDurationSeconds: 0 } })
    assert.deepEqual([await leaseOf('unleased'), await leaseOf('leased')], [60, 60])
    await patchCluster(admin, 'leased', { spec: { leaseDurationSeconds: 15 } })
    assert.equal(await leaseOf('leased'), 15)
    for (const nothing of [0, null]) {
      await patchCluster(admin, 'leased', { spec: { leaseDurationSeconds: nothing } })
      assert.equal(await leaseOf('leased'), 60)
    }
  })

  test('R37: a binding has the name of its set and takes the right to bind it, at its creation only', async () => {
    await admin.of(namespaces).create(aNamespace('bound'))
    const writesBindings = { apiGroups: [group], resources: ['managedclustersetbindings'], verbs: ['create', 'patch'] }
    const plain = await scene.user('unbinding', writesBindings)
    const binds = await scene.user('binds', writesBindings, maySet('bind', 'red'))
    const bindingsOf = (kube: Kube) => kube.of(ManagedClusterSetBinding.resource, 'bound')
    const red = { metadata: { name: 'red' }, spec: { clusterSet: 'red' } }

    const misnamed = await refusalOf(bindingsOf(admin).create({ ...red, metadata: { name: 'other' } }))
    assert.equal(misnamed.code, 400)
    assert.match(misnamed.message, /spec\.clusterSet must be the name of the binding/)
    const refused = await refusalOf(bindingsOf(plain).create(red))
    assert.deepEqual([refused.code, refused.reason], [403, 'Forbidden'])
    assert.match(refused.message, /"unbinding" lacks the right to create managedclustersets\/bind .* named red;/)
    assert.equal(
      await codeOf(bindingsOf(binds).create({ metadata: { name: 'blue' }, spec: { clusterSet: 'blue' } })),
      403,
    )

    await bindingsOf(binds).create(red)
    await bindingsOf(plain).patch('red', { type: 'merge', body: { metadata: { labels: { team: 'x' } } } })
    assert.equal((await bindingsOf(admin).get('red')).metadata.labels?.['team'], 'x')
    const moved = { type: 'merge', body: { spec: { clusterSet: 'blue' } } } as const
    assert.equal(await codeOf(bindingsOf(admin).patch('red', moved)), 400)
  })

  test('the server of the webhooks converts add-ons as well', () => convertAddOns(admin, scene))
})
