import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KubeFailure } from '../failures.ts'
import { resource } from '../objects.ts'
import type { Asked, Handler } from './testing/api.ts'
import { startApi } from './testing/api.ts'
import { aConfigMap, configMaps, namespaces } from './testing/kinds.ts'

const answered: Handler = (asked) => asked.json(200, aConfigMap('a'))

const line = ({ method, path, query }: Asked) => `${method} ${path}${query.size > 0 ? `?${query}` : ''}`

test('each verb makes the request that Kubernetes expects of it', async (t) => {
  const api = await startApi(t, answered)
  const here = api.client().of(configMaps, 'here')
  const object = { metadata: { name: 'a' }, data: { k: 'v' } }
  const full = { apiVersion: 'v1', kind: 'ConfigMap', ...object }
  const verbs: [string, string, unknown, () => Promise<unknown>][] = [
    ['GET /api/v1/namespaces/here/configmaps/a', '', undefined, () => here.get('a')],
    ['POST /api/v1/namespaces/here/configmaps', 'application/json', full, () => here.create(object)],
    ['PUT /api/v1/namespaces/here/configmaps/a', 'application/json', full, () => here.update(object)],
    [
      'PUT /api/v1/namespaces/here/configmaps/a/status?fieldManager=me&fieldValidation=Strict&dryRun=All',
      'application/json',
      full,
      () => here.update(object, { subresource: 'status', fieldManager: 'me', fieldValidation: 'Strict', dryRun: true }),
    ],
    [
      'PATCH /api/v1/namespaces/here/configmaps/a',
      'application/json-patch+json',
      [{ op: 'remove', path: '/data' }],
      () => here.patch('a', { type: 'json', operations: [{ op: 'remove', path: '/data' }] }),
    ],
    [
      'PATCH /api/v1/namespaces/here/configmaps/a',
      'application/merge-patch+json',
      { data: null },
      () => here.patch('a', { type: 'merge', body: { data: null } }),
    ],
    [
      'PATCH /api/v1/namespaces/here/configmaps/a/scale',
      'application/strategic-merge-patch+json',
      { data: { é: '1' } },
      () => here.patch('a', { type: 'strategic', body: { data: { é: '1' } } }, { subresource: 'scale' }),
    ],
    [
      'PATCH /api/v1/namespaces/here/configmaps/a?fieldManager=lanyard&force=true',
      'application/apply-patch+yaml',
      full,
      () => here.apply(object, { fieldManager: 'lanyard', force: true }),
    ],
    ['DELETE /api/v1/namespaces/here/configmaps/a', '', undefined, () => here.delete('a')],
    [
      'DELETE /api/v1/namespaces/here/configmaps/a',
      'application/json',
      {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Foreground',
        gracePeriodSeconds: 0,
        preconditions: { uid: 'u' },
        dryRun: ['All'],
      },
      () =>
        here.delete('a', {
          propagationPolicy: 'Foreground',
          gracePeriodSeconds: 0,
          preconditions: { uid: 'u' },
          dryRun: true,
        }),
    ],
    [
      'DELETE /api/v1/namespaces/here/configmaps?labelSelector=a%3Db',
      '',
      undefined,
      () => here.deleteCollection({ labelSelector: 'a=b' }),
    ],
    [
      'POST /api/v1/namespaces/here/configmaps/a/token',
      'application/json',
      { spec: {} },
      () => here.createSubresource('a', 'token', { spec: {} }),
    ],
  ]
  for (const [expected, type, body, call] of verbs) {
    await call()
    const asked = api.asked.at(-1) as Asked
    assert.equal(line(asked), expected)
    assert.equal(asked.headers['content-type'] ?? '', type, expected)
    assert.deepEqual(asked.body === '' ? undefined : JSON.parse(asked.body), body, expected)
  }
})

test('a collection without a namespace writes to the one the object names', async (t) => {
  const api = await startApi(t, answered)
  const anywhere = api.client().of(configMaps)
  await anywhere.create({ metadata: { name: 'a', namespace: 'there' } })
  await anywhere.update({ metadata: { name: 'a', namespace: 'there' } })
  await anywhere.apply({ metadata: { name: 'a', namespace: 'there' } }, { fieldManager: 'me' })
  assert.deepEqual(api.asked.map(line), [
    'POST /api/v1/namespaces/there/configmaps',
    'PUT /api/v1/namespaces/there/configmaps/a',
    'PATCH /api/v1/namespaces/there/configmaps/a?fieldManager=me',
  ])
})

test('what needs a namespace and has none is refused before any request', async (t) => {
  const api = await startApi(t, answered)
  const anywhere = api.client().of(configMaps)
  for (const call of [
    () => anywhere.get('a'),
    () => anywhere.delete('a'),
    () => anywhere.deleteCollection(),
    () => anywhere.create({ metadata: { name: 'a' } }),
    () => anywhere.patch('a', { type: 'merge', body: {} }),
  ])
    await assert.rejects(call, { code: 'KUBE_NO_NAMESPACE' })
  assert.throws(() => api.client().of(namespaces, 'here'), { code: 'KUBE_NOT_NAMESPACED' })
  assert.equal(api.asked.length, 0)
})

test('a name that is no name is refused before any request', async (t) => {
  const api = await startApi(t, answered)
  const client = api.client()
  for (const name of ['', '..', '../../secrets/x', 'a/b', 'a%2Fb']) {
    await assert.rejects(client.of(configMaps, 'here').get(name), { code: 'KUBE_BAD_NAME' })
    await assert.rejects(client.of(configMaps, 'here').delete(name), { code: 'KUBE_BAD_NAME' })
    assert.throws(() => client.of(configMaps, name), { code: 'KUBE_BAD_NAME' })
  }
  await assert.rejects(client.of(configMaps, 'here').update({}), { code: 'KUBE_BAD_NAME' })
  await assert.rejects(client.of(namespaces).createSubresource('a', 'b/../c', {}), { code: 'KUBE_BAD_NAME' })
  assert.equal(api.asked.length, 0)
})

test('cluster-scoped kinds and named groups have their own paths', async (t) => {
  const api = await startApi(t, answered)
  const client = api.client()
  await client.of(namespaces).get('here')
  const roles = resource('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles', { namespaced: false })
  await client.of(roles).get('system:node')
  assert.deepEqual(api.asked.map(line), [
    'GET /api/v1/namespaces/here',
    'GET /apis/rbac.authorization.k8s.io/v1/clusterroles/system:node',
  ])
})

test("the server's no is thrown with its code, reason and details", async (t) => {
  const api = await startApi(t, (asked) =>
    asked.json(409, {
      kind: 'Status',
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
      details: { name: 'a', kind: 'configmaps' },
    }),
  )
  await assert.rejects(api.client().of(configMaps, 'here').create(aConfigMap('a')), (error) => {
    assert.ok(error instanceof KubeFailure)
    assert.deepEqual([error.code, error.reason, error.details?.name], [409, 'AlreadyExists', 'a'])
    assert.equal(error.message, 'configmaps "a" already exists')
    return true
  })
})

test('find and delete take NotFound for an answer, but not a kind that is not served', async (t) => {
  const api = await startApi(t, (asked) => {
    if (asked.path.includes('configmaps')) return asked.status(404, 'NotFound')
    asked.res.writeHead(404, { 'content-type': 'text/plain' })
    asked.res.end('404 page not found\n')
  })
  const client = api.client()
  assert.equal(await client.of(configMaps, 'here').find('a'), undefined)
  assert.equal(await client.of(configMaps, 'here').delete('a'), false)
  const widgets = resource('example.com/v1', 'Widget', 'widgets')
  await assert.rejects(client.of(widgets, 'here').find('a'), { code: 404, message: '404 page not found' })
  await assert.rejects(client.of(widgets, 'here').delete('a'), { code: 404 })
})

test('a body that breaks off is a bad answer', async (t) => {
  const api = await startApi(t, (asked) => {
    asked.res.writeHead(200, { 'content-type': 'application/json' })
    asked.res.end('{"kind":"ConfigMap","metadata":{"na')
  })
  await assert.rejects(api.client().of(configMaps, 'here').get('a'), {
    code: 'KUBE_BAD_ANSWER',
    message: /GET \/api\/v1\/namespaces\/here\/configmaps\/a on https:.* the body is not whole JSON/,
  })
})

test("an error page that is not Kubernetes' own keeps its status", async (t) => {
  const api = await startApi(t, (asked) => {
    asked.res.writeHead(502, { 'content-type': 'text/html' })
    asked.res.end('<html>Bad gateway</html>')
  })
  await assert.rejects(api.client().of(configMaps, 'here').get('a'), {
    code: 502,
    message: 'GET /api/v1/namespaces/here/configmaps/a was answered with 502',
  })
})
