/** Namespaces decide what may be made in them, and some of them stay. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { configMaps, leases, namespaces, serviceAccounts } from '../../../src/kube/kinds.ts'
import { refusalOf } from '../../support/admission-hook.ts'
import { aConfigMap, aLease, uniqueName } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { teardown } from '../../support/test-scope.ts'

const adminOf = async (t: TestScope) => kubeClient(t, (await startControlPlane(t)).connection())

/** A namespace that stays terminating until the test is over. */
async function terminatingNamespace(t: TestScope) {
  const admin = await adminOf(t)
  const namespace = uniqueName('ending')
  await admin.of(namespaces).create({ metadata: { name: namespace } })
  const maps = admin.of(configMaps, namespace)
  await eventually('there is an account', () => admin.of(serviceAccounts, namespace).find('default'))
  await maps.create({ ...aConfigMap(), metadata: { name: 'held', finalizers: ['test.example/hold'] } })
  teardown(t, async () => {
    await maps.patch('held', { type: 'merge', body: { metadata: { finalizers: null } } })
  })
  await admin.of(namespaces).delete(namespace)
  return { admin, namespace, maps }
}

describe('namespaces', needsControlPlane, () => {
  test('E17: nothing can be made in one that is not there', async (t) => {
    const admin = await adminOf(t)
    const namespace = uniqueName('nowhere')
    const missing = { code: 404, reason: 'NotFound', message: `namespaces "${namespace}" not found` }
    const maps = admin.of(configMaps, namespace)
    assert.deepEqual(await refusalOf(maps.create(aConfigMap('x'))), missing)
    assert.deepEqual(await refusalOf(maps.create({ ...aConfigMap(), metadata: { generateName: 'x-' } })), missing)
    assert.deepEqual(await refusalOf(maps.create(aConfigMap('Not a name'))), missing)
    assert.deepEqual(await refusalOf(maps.apply(aConfigMap('x'), { fieldManager: 'me' })), missing)
    assert.deepEqual(await refusalOf(admin.of(leases, namespace).update(aLease('x'))), missing)
    const { details } = await maps.create(aConfigMap('x')).catch((error) => error)
    assert.deepEqual(details, { name: namespace, kind: 'namespaces' })
  })

  test('E17: what is not made there is told in its own words', async (t) => {
    const admin = await adminOf(t)
    const maps = admin.of(configMaps, uniqueName('nowhere'))
    const { message } = await refusalOf(maps.patch('x', { type: 'merge', body: {} }))
    assert.equal(message, 'configmaps "x" not found')
    assert.equal(await maps.delete('x'), false)
    await maps.deleteCollection()
  })

  test('E17: nothing new can be made in one that is being deleted, what is there can be changed', async (t) => {
    const { admin, namespace, maps } = await terminatingNamespace(t)
    const forbidden = (name: string, what = 'configmaps') => ({
      code: 403,
      reason: 'Forbidden',
      message: `${what} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
    })
    assert.deepEqual(await refusalOf(maps.create(aConfigMap('x'))), forbidden('x'))
    assert.deepEqual(
      await refusalOf(maps.create({ ...aConfigMap(), metadata: { generateName: 'x-' } })),
      forbidden('x-'),
    )
    assert.deepEqual(await refusalOf(maps.apply(aConfigMap('x'), { fieldManager: 'me' })), forbidden('x'))
    assert.deepEqual(
      await refusalOf(admin.of(leases, namespace).create(aLease('x'))),
      forbidden('x', 'leases.coordination.k8s.io'),
    )
    const { details } = await maps.create(aConfigMap('x')).catch((error) => error)
    assert.deepEqual(details, {
      name: 'x',
      kind: 'configmaps',
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    })
    const changed = await maps.patch('held', { type: 'merge', body: { data: { a: '1' } } })
    assert.deepEqual(changed.data, { a: '1' })
  })

  test('E17: those that a cluster cannot be without cannot be deleted', async (t) => {
    const admin = await adminOf(t)
    for (const name of ['default', 'kube-system', 'kube-public'])
      assert.deepEqual(await refusalOf(admin.of(namespaces).delete(name, { dryRun: true })), {
        code: 403,
        reason: 'Forbidden',
        message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      })
  })

  test('E17: a review about one that is not there is answered', async (t) => {
    const admin = await adminOf(t)
    const namespace = uniqueName('nowhere')
    const review = await admin.request<{ status: { allowed: boolean } }>({
      method: 'POST',
      path: `/apis/authorization.k8s.io/v1/namespaces/${namespace}/localsubjectaccessreviews`,
      contentType: 'application/json',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'LocalSubjectAccessReview',
        metadata: { namespace },
        spec: { user: 'nobody', resourceAttributes: { namespace, verb: 'get', resource: 'pods' } },
      },
    })
    assert.equal(review.status.allowed, false)
  })
})
