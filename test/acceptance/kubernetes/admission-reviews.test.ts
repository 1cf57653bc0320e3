/** What an AdmissionReview tells a webhook about the write. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { configMaps, deployments, namespaces, pods } from '../../../src/kube/kinds.ts'
import type { AdmissionRequest } from '../../support/admission-hook.ts'
import { adds, admissionScene, reviewed } from '../../support/admission-hook.ts'
import { aConfigMap } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { untilPodsCanBeMade } from '../../support/fresh-namespace.ts'

const everything = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }]
const configMapKind = { group: '', version: 'v1', kind: 'ConfigMap' }
const configMapResource = { group: '', version: 'v1', resource: 'configmaps' }
const options = (kind: string, more: object = {}) => ({ kind, apiVersion: 'meta.k8s.io/v1', ...more })

/** Without what differs from run to run and from control plane to control plane. */
const comparable = ({ uid, userInfo, object, oldObject, ...rest }: AdmissionRequest) => rest

const metadataOf = (object: AdmissionRequest['object']) => {
  const { managedFields, ...metadata } = object?.metadata ?? {}
  return metadata
}

describe('an AdmissionReview', needsControlPlane, () => {
  test('E17: of a create holds the object as it was sent, then as it will be stored', async (t) => {
    const { admin, namespace, calls, register } = await admissionScene(t)
    await register('mutating', [{ name: 'mutating' }])
    await register('validating', [{ name: 'validating', timeoutSeconds: 7 }])
    await admin.of(configMaps, namespace).create(aConfigMap('x', { a: '1' }), { fieldManager: 'me' })
    assert.deepEqual(
      calls.map(({ path, apiVersion }) => [path, apiVersion]),
      [
        ['/mutating?timeout=10s', 'admission.k8s.io/v1'],
        ['/validating?timeout=7s', 'admission.k8s.io/v1'],
      ],
    )
    for (const { request } of calls)
      assert.deepEqual(comparable(request), {
        kind: configMapKind,
        resource: configMapResource,
        requestKind: configMapKind,
        requestResource: configMapResource,
        name: 'x',
        namespace,
        operation: 'CREATE',
        dryRun: false,
        options: options('CreateOptions', { fieldManager: 'me' }),
      })
    const [sent, stored] = calls.map(({ request }) => request)
    assert.ok(sent && stored && sent.uid !== stored.uid)
    assert.deepEqual(
      [sent.userInfo.username, sent.userInfo.groups],
      ['kubernetes-admin', ['system:masters', 'system:authenticated']],
    )
    assert.deepEqual([sent.object?.apiVersion, sent.object?.kind, sent.object?.data], ['v1', 'ConfigMap', { a: '1' }])
    assert.deepEqual([sent.oldObject, stored.oldObject], [null, null])
    assert.deepEqual(metadataOf(sent.object), { name: 'x', namespace })
    assert.deepEqual(Object.keys(metadataOf(stored.object)).sort(), ['creationTimestamp', 'name', 'namespace', 'uid'])
  })

  test('E17: has no name while one is still to be generated', async (t) => {
    const { admin, namespace, calls, register } = await admissionScene(t)
    await register('mutating', [{ name: 'mutating' }])
    await register('validating', [{ name: 'validating' }])
    const { metadata } = await admin
      .of(configMaps, namespace)
      .create({ ...aConfigMap(), metadata: { generateName: 'made-' } })
    assert.deepEqual(
      calls.map(({ request }) => [request.name, request.object?.metadata?.name]),
      [
        [undefined, undefined],
        [metadata.name, metadata.name],
      ],
    )
  })

  test('E17: of an update or a patch holds the object before and after', async (t) => {
    const { admin, namespace, calls, register } = await admissionScene(t)
    await register('mutating', [{ name: 'mutating', decide: () => adds('c') }])
    await register('validating', [{ name: 'validating' }])
    const maps = admin.of(configMaps, namespace)
    const { metadata } = await maps.create(aConfigMap('x', { a: '1' }))
    calls.length = 0
    await maps.update(aConfigMap('x', { a: '2' }))
    const seen = calls.splice(0).map(({ request }) => request)
    assert.deepEqual(
      seen.map(({ operation, name, oldObject, object }) => [operation, name, oldObject?.data, object?.data]),
      [
        ['UPDATE', 'x', { a: '1', c: 'added' }, { a: '2' }],
        ['UPDATE', 'x', { a: '1', c: 'added' }, { a: '2', c: 'added' }],
      ],
    )
    assert.deepEqual(metadataOf(seen[0]?.object ?? null), { name: 'x', namespace })
    assert.equal(seen[1]?.object?.metadata?.uid, metadata.uid)
    assert.equal(seen[1]?.oldObject?.metadata?.resourceVersion, metadata.resourceVersion)
    assert.deepEqual(seen[1]?.options, options('UpdateOptions'))

    // Each has an object of its own: a real server begins with what its cache has of one, and where that is a write
    // behind, it is admitted again.
    for (const name of ['patched', 'applied']) await maps.create(aConfigMap(name, { a: '2' }))
    calls.length = 0
    await maps.patch('patched', { type: 'merge', body: { data: { a: '3' } } }, { fieldManager: 'me' })
    await maps.apply({ ...aConfigMap('applied', { b: '1' }) }, { fieldManager: 'you', force: true })
    assert.deepEqual(
      calls
        .splice(0)
        .filter(({ hook }) => hook === 'mutating')
        .map(({ request }) => [request.operation, request.object?.data, request.options]),
      [
        ['UPDATE', { a: '3', c: 'added' }, options('UpdateOptions', { fieldManager: 'me' })],
        ['UPDATE', { a: '2', b: '1', c: 'added' }, options('UpdateOptions', { fieldManager: 'you' })],
      ],
    )
    await maps.apply({ ...aConfigMap('y', { b: '1' }) }, { fieldManager: 'you' })
    assert.deepEqual(
      calls.map(({ request }) => [request.operation, request.oldObject, request.options]),
      calls.map(() => ['CREATE', null, options('CreateOptions', { fieldManager: 'you' })]),
    )
  })

  test('E17: of a delete holds the old object and the options, of a collection one for each without its name', async (t) => {
    const { admin, namespace, calls, register } = await admissionScene(t)
    await register('mutating', [{ name: 'mutating' }])
    await register('validating', [{ name: 'validating' }])
    const maps = admin.of(configMaps, namespace)
    for (const name of ['x', 'y', 'z'])
      await maps.create({ ...aConfigMap(name), metadata: { name, labels: { all: 'true' } } })
    calls.length = 0
    await maps.delete('x', { propagationPolicy: 'Background', gracePeriodSeconds: 0 })
    const seen = calls.splice(0).map(({ request }) => request)
    assert.deepEqual(
      seen.map(({ operation, name, object, oldObject, options }) => [
        operation,
        name,
        object,
        oldObject?.metadata?.name,
        options,
      ]),
      [1, 2].map(() => [
        'DELETE',
        'x',
        null,
        'x',
        options('DeleteOptions', { gracePeriodSeconds: 0, propagationPolicy: 'Background' }),
      ]),
    )
    await maps.deleteCollection({ labelSelector: 'all=true' })
    assert.deepEqual(
      calls
        .filter(({ hook }) => hook === 'validating')
        .map(({ request }) => [request.operation, request.name, request.oldObject?.metadata?.name])
        .sort(),
      [
        ['DELETE', undefined, 'y'],
        ['DELETE', undefined, 'z'],
      ],
    )
  })

  test('E17: names the subresource, and the kind that is written through it', async (t) => {
    const { admin, namespace, calls, register } = await admissionScene(t)
    await untilPodsCanBeMade(admin, namespace)
    const containers = [{ name: 'c', image: 'none' }]
    await admin.of(pods, namespace).create({ metadata: { name: 'p' }, spec: { containers } })
    const labels = { app: 'none' }
    await admin.of(deployments, namespace).create({
      metadata: { name: 'd' },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    })
    await register('mutating', [{ name: 'all', rules: everything }])
    await admin
      .of(pods, namespace)
      .patch('p', { type: 'merge', body: { status: { message: 'hello' } } }, { subresource: 'status' })
    await admin
      .of(deployments, namespace)
      .patch('d', { type: 'merge', body: { spec: { replicas: 0 } } }, { subresource: 'scale' })
    await admin.request({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`,
      contentType: 'application/json',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    })
    // Objects without a namespace, which others make beside this test, are in nobody's selector. A patch that meets a
    // change of somebody else is admitted again.
    const isMine = ({ request }: { request: AdmissionRequest }) =>
      request.userInfo.username === 'kubernetes-admin' && request.namespace === namespace
    const mine = calls.filter(isMine)
    const own = mine.filter(
      ({ request }, index) => mine.findIndex((other) => other.request.subResource === request.subResource) === index,
    )
    assert.deepEqual(
      own.map(({ request }) => [request.operation, request.name, request.resource.resource, request.subResource]),
      [
        ['UPDATE', 'p', 'pods', 'status'],
        ['UPDATE', 'd', 'deployments', 'scale'],
        ['CREATE', 'default', 'serviceaccounts', 'token'],
      ],
    )
    assert.deepEqual(
      own.map(({ request }) => [request.kind, request.requestSubResource, request.object?.kind]),
      [
        [{ group: '', version: 'v1', kind: 'Pod' }, 'status', 'Pod'],
        [{ group: 'autoscaling', version: 'v1', kind: 'Scale' }, 'scale', 'Scale'],
        [{ group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' }, 'token', 'TokenRequest'],
      ],
    )
    const [status] = own
    assert.deepEqual(
      [status?.request.object?.['status'], status?.request.oldObject?.['status']].map(
        (value) => (value as { message?: string }).message,
      ),
      ['hello', undefined],
    )
  })

  test('E17: about a namespace names that namespace', async (t) => {
    const { admin, namespace, calls, register } = await admissionScene(t)
    await register('validating', [{ name: 'all', rules: everything }])
    await admin.of(namespaces).patch(namespace, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } })
    // What other tests write meanwhile into no namespace is asked about, too, but none of their namespaces.
    const own = calls.filter(({ request: { userInfo, resource } }) => {
      return userInfo.username === 'kubernetes-admin' && resource.resource === 'namespaces'
    })
    assert.deepEqual(
      own.map(({ request }) => [request.name, request.namespace]),
      [[namespace, namespace]],
    )
  })

  test('E17: is of the first version that both know', async (t) => {
    const { admin, namespace, calls, register } = await admissionScene(t)
    await register('mutating', [
      {
        name: 'old',
        admissionReviewVersions: ['v2', 'v1beta1', 'v1'],
        decide: (request) => ({
          whole: { ...reviewed(request, adds('a')), apiVersion: 'admission.k8s.io/v1beta1' },
        }),
      },
    ])
    const created = await admin.of(configMaps, namespace).create(aConfigMap('x', { b: '1' }))
    assert.deepEqual(created.data, { a: 'added', b: '1' })
    assert.deepEqual(
      calls.map(({ apiVersion }) => apiVersion),
      ['admission.k8s.io/v1beta1'],
    )
  })
})
