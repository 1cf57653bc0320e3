/** The end of a namespace: what is in it goes, nothing new comes, and then it goes itself. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { after, before, describe, test } from 'node:test'
import { isConflict } from '../../../src/kube/failures.ts'
import { configMaps, leases, namespaces, pods, secrets } from '../../../src/kube/kinds.ts'
import { aConfigMap, aNamespace, aSecret, uniqueName } from '../../support/builders.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { launchControlPlane, needsControlPlane } from '../../support/control-plane.ts'
import { define } from '../../support/custom-resources.ts'
import { heldBy, hold } from '../../support/deletion-scene.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { rawRequest } from '../../support/raw-request.ts'
import { teardown } from '../../support/test-scope.ts'

/** A real controller waits five seconds before it begins. */
const patiently = { withinMs: 45_000 }

/** One for this file: the shared one has the namespaces of all other tests to clear away. */
let plane: OwnControlPlane

async function start(t: TestContext) {
  const admin = kubeClient(t, plane.connection())
  const all = admin.of(namespaces)
  const { metadata } = await all.create(aNamespace(uniqueName('ending')))
  const namespace = metadata.name
  const maps = admin.of(configMaps, namespace)
  const letGo = (name: string) => maps.patch(name, { type: 'merge', body: heldBy() })
  teardown(t, async () => void (await all.delete(namespace)))
  /** One that stays until it is let go, at the latest at the end of the test. */
  const makeHeld = async (name: string, ...finalizers: string[]) => {
    await maps.create({ metadata: { name, finalizers: [hold, ...finalizers] } })
    teardown(t, async () => {
      if (await maps.find(name)) await letGo(name)
    })
  }
  const gone = () => eventually('it is gone', async () => (await all.find(namespace)) === undefined, patiently)
  const condition = (type: string, status: string) =>
    eventually(
      `${type} is ${status}`,
      async () => {
        const { conditions = [] } = (await all.get(namespace)).status ?? {}
        return conditions.find((told) => told.type === type && told.status === status)
      },
      patiently,
    )
  return { plane, admin, all, namespace, uid: metadata.uid, maps, makeHeld, letGo, gone, condition }
}

describe('the end of a namespace', needsControlPlane, () => {
  before(async () => {
    plane = await launchControlPlane()
  })
  after(() => plane?.stop())

  test('E12: a deleted namespace is answered itself, terminating', async (t) => {
    const { plane, namespace, uid, gone } = await start(t)
    const path = `/api/v1/namespaces/${namespace}`
    const { code, json } = await rawRequest(plane, { method: 'DELETE', path })
    assert.deepEqual([code, json.kind, json.metadata.uid], [200, 'Namespace', uid])
    assert.ok(json.metadata.deletionTimestamp)
    assert.deepEqual([json.spec, json.status], [{ finalizers: ['kubernetes'] }, { phase: 'Terminating' }])
    await gone()
  })

  test('E12: an empty namespace goes, and its name is free again', async (t) => {
    const { all, namespace, uid, gone } = await start(t)
    await all.delete(namespace)
    await gone()
    const again = await all.create(aNamespace(namespace))
    assert.notEqual(again.metadata.uid, uid)
    assert.deepEqual(again.status, { phase: 'Active' })
  })

  test('E12: everything that is in it goes first', async (t) => {
    const { admin, all, namespace, maps, gone } = await start(t)
    await maps.create(aConfigMap('a'))
    await admin.of(secrets, namespace).create(aSecret('a', { x: 'y' }))
    await admin.of(leases, namespace).create({ metadata: { name: 'a' } })
    await all.delete(namespace)
    await gone()
    await all.create(aNamespace(namespace))
    assert.equal(await maps.find('a'), undefined)
    assert.equal(await admin.of(secrets, namespace).find('a'), undefined)
    assert.equal(await admin.of(leases, namespace).find('a'), undefined)
  })

  test('E12: custom resources go with their namespace', async (t) => {
    const { admin, all, namespace, gone } = await start(t)
    const widgets = admin.of((await define(t, admin)).of(), namespace)
    await widgets.create({ metadata: { name: 'held', finalizers: [hold] } })
    await widgets.create({ metadata: { name: 'free' } })
    await all.delete(namespace)
    await eventually(
      'it is being deleted',
      async () => {
        return (await widgets.get('held')).metadata.deletionTimestamp
      },
      patiently,
    )
    await eventually('the other is gone', async () => !(await widgets.find('free')), patiently)
    await widgets.patch('held', { type: 'merge', body: heldBy() })
    await gone()
  })

  test('E12: what finalizers hold keeps the namespace, and its conditions say what that is', async (t) => {
    const { admin, all, namespace, makeHeld, letGo, gone, condition } = await start(t)
    await makeHeld('a')
    await makeHeld('b', 'test.example/other')
    const held = admin.of(leases, namespace)
    await held.create({ metadata: { name: 'c', finalizers: [hold] } })
    await all.delete(namespace)
    const { lastTransitionTime, ...remaining } = await condition('NamespaceContentRemaining', 'True')
    assert.deepEqual(remaining, {
      type: 'NamespaceContentRemaining',
      status: 'True',
      reason: 'SomeResourcesRemain',
      message:
        'Some resources are remaining: configmaps. has 2 resource instances, leases.coordination.k8s.io has 1 resource instances',
    })
    assert.match(`${lastTransitionTime}`, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const finalizers = await condition('NamespaceFinalizersRemaining', 'True')
    assert.deepEqual(
      [finalizers.reason, finalizers.message],
      [
        'SomeFinalizersRemain',
        'Some content in the namespace has finalizers remaining: test.example/hold in 3 resource instances, test.example/other in 1 resource instances',
      ],
    )
    const told = (await all.get(namespace)).status
    assert.equal(told?.phase, 'Terminating')
    assert.deepEqual(
      told?.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]).slice(0, 3),
      [
        ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered', 'All resources successfully discovered'],
        [
          'NamespaceDeletionGroupVersionParsingFailure',
          'False',
          'ParsedGroupVersions',
          'All legacy kube types successfully parsed',
        ],
        [
          'NamespaceDeletionContentFailure',
          'False',
          'ContentDeleted',
          'All content successfully deleted, may be waiting on finalization',
        ],
      ],
    )
    await held.patch('c', { type: 'merge', body: heldBy() })
    await letGo('a')
    await letGo('b')
    await gone()
  })

  test('E12: pods go before everything else', async (t) => {
    const { admin, all, namespace, maps, gone, condition } = await start(t)
    const running = admin.of(pods, namespace)
    await eventually('pods can be made', () => admin.of(configMaps, namespace).find('kube-root-ca.crt'))
    const containers = [{ name: 'main', image: 'example' }]
    await eventually('a pod is made', () =>
      running.create({ metadata: { name: 'a', finalizers: [hold] }, spec: { containers } }).catch((error) => {
        if (error.code !== 403) throw error
      }),
    )
    await maps.create(aConfigMap('used'))
    await all.delete(namespace)
    await condition('NamespaceDeletionContentFailure', 'False')
    assert.ok((await running.get('a')).metadata.deletionTimestamp)
    assert.equal((await maps.get('used')).metadata.deletionTimestamp, undefined)
    await running.patch('a', { type: 'merge', body: heldBy() })
    await gone()
  })

  test('E12: nothing new can be made in it meanwhile', async (t) => {
    const { all, namespace, maps, makeHeld, letGo, gone } = await start(t)
    await makeHeld('a')
    await all.delete(namespace)
    const { code, reason, message, details } = await maps.create(aConfigMap('new')).then(
      () => assert.fail('it was made'),
      (error) => error,
    )
    assert.deepEqual(
      [code, reason, message],
      [
        403,
        'Forbidden',
        `configmaps "new" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
      ],
    )
    assert.deepEqual(details, {
      name: 'new',
      kind: 'configmaps',
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    })
    await letGo('a')
    await gone()
  })

  test('E12: nobody lets it go but through its finalize subresource', async (t) => {
    const { admin, all, namespace, makeHeld } = await start(t)
    await makeHeld('a')
    await all.patch(namespace, { type: 'merge', body: { spec: { finalizers: ['kubernetes', 'test.example/mine'] } } })
    assert.deepEqual((await all.get(namespace)).spec, { finalizers: ['kubernetes'] })
    const mine = await all.get(namespace)
    const path = `/api/v1/namespaces/${namespace}/finalize`
    const body = { ...mine, spec: { finalizers: ['kubernetes', 'test.example/mine'] } }
    const answered = await admin.request<typeof mine>({ method: 'PUT', path, body })
    assert.deepEqual(answered.spec, { finalizers: ['kubernetes', 'test.example/mine'] })
    await all.delete(namespace)
    await eventually('it is let go', async () => {
      const released = { ...(await all.get(namespace)), spec: { finalizers: [] } }
      // Its controller may be telling how far it is.
      return admin.request({ method: 'PUT', path, body: released }).catch((error) => {
        if (!isConflict(error)) throw error
      })
    })
    assert.equal(await all.find(namespace), undefined)
    // What was in it is nobody's then; made again, it has it back.
    await all.create(aNamespace(namespace))
  })

  test('E18: the namespace controller empties a namespace and lets it go', async (t) => {
    const { all, namespace, maps, gone } = await start(t)
    await Promise.all(Array.from({ length: 30 }, (_, n) => maps.create(aConfigMap(`map-${n}`))))
    await all.delete(namespace)
    await gone()
    await all.create(aNamespace(namespace))
    const left = (await maps.list()).items.filter(({ metadata }) => metadata.name.startsWith('map-'))
    assert.deepEqual(left, [])
  })
})
