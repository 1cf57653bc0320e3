/** Corners that random requests found, held to on both control planes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import type { RawCall } from '../../support/raw-call.ts'
import { rawCall } from '../../support/raw-call.ts'
import { rawRequest } from '../../support/raw-request.ts'
import type { TestScope } from '../../support/test-scope.ts'

async function scene(t: TestScope) {
  const plane = await startControlPlane(t)
  const namespace = await freshNamespace(t, kubeClient(t, plane.connection()))
  const maps = `/api/v1/namespaces/${namespace}/configmaps`
  const call = (request: RawCall) => rawCall(plane, request)
  const create = (metadata: object) => call({ method: 'POST', path: maps, body: { metadata } })
  return { plane, namespace, maps, call, create }
}

const unheld = { metadata: { finalizers: null } }
const mergePatch = 'application/merge-patch+json'

test('a name that is being deleted is taken, and the refusal says so', needsControlPlane, async (t) => {
  const { maps, call, create } = await scene(t)
  await create({ name: 'a', finalizers: ['example.com/hold'] })
  await call({ method: 'DELETE', path: `${maps}/a` })
  const { code, body } = await create({ name: 'a' })
  await call({ method: 'PATCH', path: `${maps}/a`, contentType: mergePatch, body: unheld })
  assert.deepEqual([code, body.message], [409, 'object is being deleted: configmaps "a" already exists'])
})

test('a PUT creates a lease whatever version it names, but not one with a uid', needsControlPlane, async (t) => {
  const { namespace, call } = await scene(t)
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/a`
  const put = (metadata: object) => call({ method: 'PUT', path, body: { metadata: { name: 'a', ...metadata } } })
  const refused = await put({ uid: 'some' })
  assert.equal(refused.code, 409)
  assert.match(refused.body.message, /Precondition failed: UID in precondition: some, UID in object meta: $/)
  assert.equal((await put({ resourceVersion: '1' })).code, 201)
})

test('deleting a collection answers with what was there', needsControlPlane, async (t) => {
  const { maps, call, create } = await scene(t)
  const { body: created } = await create({ name: 'a', labels: { app: 'a' } })
  const { body } = await call({ method: 'DELETE', path: maps, query: { labelSelector: 'app=a' } })
  assert.deepEqual(
    body.items.map(({ metadata }: typeof created) => metadata.resourceVersion),
    [created.metadata.resourceVersion],
  )
})

test('an owner that is named twice is kept once, with a warning', needsControlPlane, async (t) => {
  const { create } = await scene(t)
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' }
  const { body, warnings } = await create({ name: 'a', ownerReferences: [owner, owner] })
  assert.deepEqual(body.metadata.ownerReferences, [owner])
  assert.match(warnings[0] ?? '', /^\.metadata\.ownerReferences contains duplicate entries; .* observed: u$/)
})

test('a flaw of the metadata is named as often as the real server finds it', needsControlPlane, async (t) => {
  const { maps, call, create } = await scene(t)
  await create({ name: 'a' })
  const body = { metadata: { labels: { a: '-' } } }
  const { body: refusal } = await call({ method: 'PATCH', path: `${maps}/a`, contentType: mergePatch, body })
  assert.equal(refusal.details.causes.length, 4)
})

test('tables have an older version, and one form is not the other', needsControlPlane, async (t) => {
  const { plane, maps, create } = await scene(t)
  await create({ name: 'a' })
  const get = async (path: string, as: string, v = 'v1') => {
    const accept = `application/json;as=${as};v=${v};g=meta.k8s.io`
    const { code, json } = await rawRequest(plane, { path, headers: { accept } })
    return [code, json.kind, json.message ?? json.apiVersion]
  }
  assert.deepEqual(await get(`${maps}/a`, 'Table', 'v1beta1'), [200, 'Table', 'meta.k8s.io/v1beta1'])
  const notList = 'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)'
  assert.deepEqual(await get(`${maps}/a`, 'PartialObjectMetadataList'), [406, 'Status', notList])
  const isList = 'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)'
  assert.deepEqual(await get(maps, 'PartialObjectMetadata'), [406, 'Status', isList])
})

test('who takes any version of a list gets all of it', needsControlPlane, async (t) => {
  const { maps, call, create } = await scene(t)
  for (const name of ['a', 'b']) await create({ name, labels: { app: 'a' } })
  const query = { resourceVersion: '0', limit: '1', labelSelector: 'app=a' }
  // The cache of the real one may be a moment behind.
  await call({ path: maps })
  const { body } = await call({ path: maps, query })
  assert.deepEqual([body.items.length, body.metadata.continue], [2, undefined])
})

test('what Kubernetes leaves out when it is false is left out', needsControlPlane, async (t) => {
  const { call } = await scene(t)
  const body = { metadata: { name: 'a' }, spec: { unschedulable: false } }
  const { body: node } = await call({ method: 'POST', path: '/api/v1/nodes', query: { dryRun: 'All' }, body })
  assert.equal('unschedulable' in node.spec, false)
})
