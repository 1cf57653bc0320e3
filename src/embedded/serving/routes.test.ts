import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routeScene } from './testing/routes.ts'

test('discovery, version and the index are served to readers', async (t) => {
  const { json } = await routeScene(t)
  const kindAt = async (path: string) => (await json('GET', path)).object.kind
  assert.deepEqual(await Promise.all(['/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1'].map(kindAt)), [
    'APIVersions',
    'APIResourceList',
    'APIGroupList',
    'APIGroup',
    'APIResourceList',
  ])
  const { object: versions } = await json('GET', '/api')
  assert.equal(versions.serverAddressByClientCIDRs[0].serverAddress, '127.0.0.1:6443')
  assert.match((await json('GET', '/version')).object.gitVersion, /^v1\.\d+\.\d+/)
  const { paths } = (await json('GET', '/')).object
  assert.ok(['/api', '/api/v1', '/apis/apps/v1', '/healthz', '/version'].every((path) => paths.includes(path)))
})

test('OpenAPI is an index and a document for each version', async (t) => {
  const { json } = await routeScene(t)
  const { paths } = (await json('GET', '/openapi/v3')).object
  const { object } = await json('GET', paths['apis/apps/v1'].serverRelativeURL)
  assert.ok(object.components.schemas['io.k8s.api.apps.v1.Deployment'])
})

test('discovery is one document for who asks for it', async (t) => {
  const { ask } = await routeScene(t)
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  const answer = await ask('GET', '/apis', { headers: { accept } })
  assert.ok('code' in answer && answer.code === 200 && answer.contentType === accept)
})

test('documents are only to be read', async (t) => {
  const { json } = await routeScene(t)
  assert.deepEqual([(await json('POST', '/api')).code, (await json('DELETE', '/version')).code], [405, 405])
})

test('health and metrics are text', async (t) => {
  const { ask } = await routeScene(t)
  for (const path of ['/healthz', '/livez', '/readyz', '/metrics']) {
    const answer = await ask('GET', path)
    assert.ok('code' in answer && answer.code === 200 && answer.contentType.startsWith('text/plain'), path)
  }
})

test('a path under what is served is missing in the words of the API, any other in plain words', async (t) => {
  const { ask } = await routeScene(t)
  const told = async (path: string) => {
    const answer = await ask('GET', path)
    return 'body' in answer ? `${answer.code} ${answer.contentType.split(';')[0]}` : 'a watch'
  }
  for (const path of ['/api/v2', '/apis/apps/v9']) assert.equal(await told(path), '404 application/json', path)
  for (const path of ['/none', '/apis/none', '/apis/none/v1', '/apis//apps', '/version/x', '/metrics/x'])
    assert.equal(await told(path), '404 text/plain', path)
})
