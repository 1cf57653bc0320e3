/** Which verbs a resource has, and what each answers. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { configMaps, deployments, pods } from '../../../src/kube/kinds.ts'
import { aConfigMap } from '../../support/builders.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { freshNamespace, untilPodsCanBeMade } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import type { RawRequest } from '../../support/raw-request.ts'
import { rawRequest } from '../../support/raw-request.ts'

const json = { 'content-type': 'application/json' }
const merge = { 'content-type': 'application/merge-patch+json' }

async function scene(t: TestContext) {
  const plane = await startControlPlane(t)
  const kube = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, kube)
  const base = `/api/v1/namespaces/${namespace}/configmaps`
  const ask = (request: RawRequest) => rawRequest(plane, request)
  const post = (body: object, path = base) => ask({ method: 'POST', path, headers: json, body: JSON.stringify(body) })
  return { plane, kube, namespace, base, ask, post }
}

const aDeployment = (name: string) => ({
  metadata: { name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'example' }] } },
  },
})

describe('verbs', needsControlPlane, () => {
  test('E6: create answers 201 with the whole object, get the same again', async (t) => {
    const { base, ask, post } = await scene(t)
    const created = await post({ metadata: { name: 'a' }, data: { x: '1' } })
    assert.equal(created.code, 201)
    assert.deepEqual([created.json.kind, created.json.apiVersion, created.json.data], ['ConfigMap', 'v1', { x: '1' }])
    const read = await ask({ path: `${base}/a` })
    assert.equal(read.code, 200)
    assert.deepEqual(read.json, created.json)
    assert.equal(read.headers['content-type'], 'application/json')
    assert.equal(read.headers['cache-control'], 'no-cache, private')
    assert.ok(read.headers['audit-id'])
  })

  test('E6: update answers 200, patch 200, delete what was there', async (t) => {
    const { base, ask, post } = await scene(t)
    const { json: created } = await post({ metadata: { name: 'a' }, data: { x: '1' } })
    const body = JSON.stringify({ ...created, data: { x: '2' } })
    const updated = await ask({ method: 'PUT', path: `${base}/a`, headers: json, body })
    assert.deepEqual([updated.code, updated.json.data], [200, { x: '2' }])
    const patched = await ask({ method: 'PATCH', path: `${base}/a`, headers: merge, body: '{"data":{"y":"3"}}' })
    assert.deepEqual([patched.code, patched.json.data], [200, { x: '2', y: '3' }])
    const deleted = await ask({ method: 'DELETE', path: `${base}/a` })
    assert.deepEqual(
      [deleted.code, deleted.json],
      [
        200,
        {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Success',
          details: { name: 'a', kind: 'configmaps', uid: created.metadata.uid },
        },
      ],
    )
    const { code, json: status } = await ask({ path: `${base}/a` })
    assert.deepEqual(
      [code, status],
      [
        404,
        {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: 'configmaps "a" not found',
          reason: 'NotFound',
          details: { name: 'a', kind: 'configmaps' },
          code: 404,
        },
      ],
    )
  })

  test('E6: deletecollection takes what the selectors say and answers with a list of it', async (t) => {
    const { kube, namespace, base, ask } = await scene(t)
    const maps = kube.of(configMaps, namespace)
    for (const name of ['a', 'b'])
      await maps.create({ ...aConfigMap(name), metadata: { name, labels: { mine: 'yes' } } })
    await maps.create(aConfigMap('c'))
    const { code, json: list } = await ask({ method: 'DELETE', path: `${base}?labelSelector=mine` })
    assert.deepEqual([code, list.kind], [200, 'ConfigMapList'])
    assert.deepEqual(list.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name).sort(), ['a', 'b'])
    assert.equal(await maps.find('a'), undefined)
    assert.ok(await maps.find('c'))
  })

  test('E6: a verb that a resource does not have is 405, a resource that is not there 404', async (t) => {
    const { namespace, base, ask, post } = await scene(t)
    await post({ metadata: { name: 'a' } })
    const not: [RawRequest, number, string][] = [
      [{ method: 'POST', path: `${base}/a`, headers: json, body: '{}' }, 405, 'MethodNotAllowed'],
      [{ method: 'PUT', path: base, headers: json, body: '{}' }, 405, 'MethodNotAllowed'],
      [{ method: 'PATCH', path: base, headers: merge, body: '{}' }, 405, 'MethodNotAllowed'],
      [{ method: 'POST', path: '/api/v1/configmaps', headers: json, body: '{}' }, 405, 'MethodNotAllowed'],
      [{ method: 'DELETE', path: '/api/v1/configmaps' }, 405, 'MethodNotAllowed'],
      [{ method: 'DELETE', path: '/api/v1/namespaces' }, 405, 'MethodNotAllowed'],
      [{ method: 'OPTIONS', path: base }, 405, 'MethodNotAllowed'],
      [{ path: '/apis/authentication.k8s.io/v1/tokenreviews' }, 405, 'MethodNotAllowed'],
      [{ path: `/api/v1/namespaces/${namespace}/unknowns` }, 404, 'NotFound'],
      [{ path: '/api/v1/unknowns' }, 404, 'NotFound'],
      [{ path: `${base}/a/status` }, 404, 'NotFound'],
      [{ path: `${base}/a/b/c` }, 404, 'NotFound'],
    ]
    for (const [request, code, reason] of not) {
      const answer = await ask(request)
      assert.deepEqual([answer.code, answer.json?.reason], [code, reason], `${request.method} ${request.path}`)
      assert.deepEqual(answer.json.details, {})
    }
    assert.equal((await ask({ method: 'HEAD', path: base })).code, 405)
  })

  test('E6: a group that nothing is served under is a plain 404', async (t) => {
    const { ask } = await scene(t)
    for (const path of ['/apis/nothing.example/v1/things', '/apis/nothing.example', '/nothing']) {
      const answer = await ask({ path })
      assert.deepEqual([answer.code, answer.text], [404, '404 page not found\n'], path)
      assert.match(answer.headers['content-type'] ?? '', /^text\/plain/)
    }
    for (const path of ['/api/v2', '/api/v2/pods', '/apis/apps/v9', '/apis/apps/v9/deployments']) {
      const { code, json: status } = await ask({ path })
      assert.deepEqual([code, status?.reason, status?.details], [404, 'NotFound', {}], path)
    }
  })

  test('E6: the status subresource is read, replaced and patched by itself', async (t) => {
    const { kube, namespace } = await scene(t)
    await untilPodsCanBeMade(kube, namespace)
    const collection = kube.of(pods, namespace)
    await collection.create({ metadata: { name: 'a' }, spec: { containers: [{ name: 'main', image: 'example' }] } })
    const read = await kube.request<{ spec: object }>({ path: `/api/v1/namespaces/${namespace}/pods/a/status` })
    assert.ok(read.spec)
    const patch = { spec: { activeDeadlineSeconds: 5 }, status: { message: 'one' } }
    const patched = await collection.patch('a', { type: 'merge', body: patch }, { subresource: 'status' })
    assert.deepEqual([patched.spec?.activeDeadlineSeconds, patched.status?.message], [undefined, 'one'])
    const status = { ...patched.status, message: 'two' }
    const updated = await collection.update({ ...patched, status }, { subresource: 'status' })
    assert.equal(updated.status?.message, 'two')
    const main = await collection.patch('a', { type: 'merge', body: { status: { message: 'three' } } })
    assert.equal(main.status?.message, 'two')
  })

  test('E6: the scale subresource shows and sets the replicas', async (t) => {
    const { kube, namespace, ask } = await scene(t)
    await kube.of(deployments, namespace).create(aDeployment('a'))
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/a/scale`
    const { json: scale } = await ask({ path })
    assert.deepEqual([scale.kind, scale.apiVersion, scale.spec], ['Scale', 'autoscaling/v1', { replicas: 2 }])
    assert.equal(scale.status.selector, 'app=a')
    const { resourceVersion: _, ...metadata } = scale.metadata
    const body = JSON.stringify({ ...scale, metadata, spec: { replicas: 4 } })
    const put = await ask({ method: 'PUT', path, headers: json, body })
    assert.deepEqual([put.code, put.json.spec.replicas], [200, 4])
    const patched = await ask({ method: 'PATCH', path, headers: merge, body: '{"spec":{"replicas":6}}' })
    assert.deepEqual([patched.code, patched.json.spec.replicas], [200, 6])
    assert.equal((await kube.of(deployments, namespace).get('a')).spec?.replicas, 6)
    const stale = await ask({
      method: 'PUT',
      path,
      headers: json,
      body: JSON.stringify({ ...scale, spec: { replicas: 1 } }),
    })
    assert.deepEqual([stale.code, stale.json.reason], [409, 'Conflict'])
  })

  test('E6: a subresource that only takes objects of its own is asked with POST', async (t) => {
    const { kube, namespace, post, ask } = await scene(t)
    await kube.request({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts`,
      contentType: 'application/json',
      body: { metadata: { name: 'robot' } },
    })
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/robot/token`
    const { code, json: answer } = await post({ spec: { expirationSeconds: 600 } }, path)
    assert.deepEqual([code, answer.kind, answer.apiVersion], [201, 'TokenRequest', 'authentication.k8s.io/v1'])
    assert.equal(answer.status.token.split('.').length, 3)
    assert.equal((await ask({ path })).code, 405)
  })
})
