/** OpenAPI v3: where its documents are, how they are cached, and what they say of built-in kinds. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { resourceFacts } from '../../../src/embedded/kinds/facts/facts.ts'
import { apiVersionOf } from '../../../src/embedded/objects.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { Operation, Schema } from '../../support/openapi.ts'
import { documentOf, operationsOf, referencesIn, schemaPrefix, schemaWithKind } from '../../support/openapi.ts'
import { rawRequest } from '../../support/raw-request.ts'

const apiVersions = [...new Set(resourceFacts().map(({ group, version }) => apiVersionOf(group, version)))]
const pathOf = (apiVersion: string) => (apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`)

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    rawRequest(plane, { path, headers, method })
  return { plane, get, document: (path: string) => documentOf(plane, path) }
}

describe('OpenAPI', needsControlPlane, () => {
  test('E5c: the index leads to a document for each group and each version, under its hash', async (t) => {
    const { get } = await start(t)
    const { code, headers, json } = await get('/openapi/v3')
    assert.deepEqual([code, headers['content-type']], [200, 'text/plain; charset=utf-8'])
    const groups = apiVersions.filter((apiVersion) => apiVersion.includes('/')).map((it) => `apis/${it.split('/')[0]}`)
    for (const path of ['api', 'apis', 'version', 'openid/v1/jwks', ...groups, ...apiVersions.map(pathOf)]) {
      const url: string = json.paths[path]?.serverRelativeURL
      assert.match(url ?? '', /^\/openapi\/v3\/[\w./]+\?hash=[0-9A-F]{128}$/, path)
      const answer = await get(url)
      assert.deepEqual([answer.code, answer.headers['content-type']], [200, 'application/json'], url)
      assert.equal(answer.headers.etag, `"${url.split('=')[1]}"`)
      assert.deepEqual([answer.json.openapi, answer.json.info], ['3.0.0', { title: 'Kubernetes', version: '1.36' }])
    }
  })

  test('E5c: what stands under its hash is for ever, another hash leads there', async (t) => {
    const { get } = await start(t)
    const path = '/openapi/v3/apis/coordination.k8s.io/v1'
    const plain = await get(path)
    assert.deepEqual([plain.headers['cache-control'], plain.headers['vary']], ['no-cache, private', 'Accept'])
    assert.ok(!Number.isNaN(Date.parse(plain.headers['last-modified'] ?? '')))
    const hash = JSON.parse(plain.headers.etag ?? '')
    const cached = await get(`${path}?hash=${hash}`, { 'accept-encoding': 'gzip' })
    assert.deepEqual([cached.code, cached.text], [200, plain.text])
    assert.deepEqual(
      [cached.headers['cache-control'], cached.headers['content-encoding'], cached.headers['vary']],
      ['public, immutable', undefined, 'Accept'],
    )
    const [day, expires] = [24 * 3_600_000, Date.parse(cached.headers.expires ?? '')]
    assert.ok(Math.abs(expires - Date.now() - 365 * day) < 2 * day, cached.headers.expires)
    const moved = await get(`${path}?hash=0123`)
    assert.deepEqual([moved.code, moved.headers.location, moved.text], [301, `${path}?hash=${hash}`, ''])
    assert.equal(moved.headers.etag, plain.headers.etag)
  })

  test('E5c: who has the current one is told so', async (t) => {
    const { get } = await start(t)
    const path = '/openapi/v3/apis/coordination.k8s.io/v1'
    const { etag = '', 'last-modified': since = '' } = (await get(path)).headers
    for (const held of [
      { 'if-none-match': etag },
      { 'if-none-match': `"0", W/${etag}` },
      { 'if-none-match': '*' },
      { 'if-modified-since': since },
    ]) {
      const { code, text, headers } = await get(path, held)
      assert.deepEqual([code, text, headers.etag], [304, '', etag], JSON.stringify(held))
      assert.equal(headers['content-type'], undefined)
    }
    const other = { 'if-none-match': '"0"', 'if-modified-since': since }
    assert.equal((await get(path, other)).code, 200)
    assert.equal((await get(path, { 'if-modified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' })).code, 200)
  })

  test('E5c: it is JSON for who accepts that, and what is not there is not found', async (t) => {
    const { get } = await start(t)
    const path = '/openapi/v3/api/v1'
    for (const accept of ['application/json', 'application/*', '*/*', 'text/html, application/json;q=0.1']) {
      const { code, headers } = await get(path, { accept }, 'HEAD')
      assert.deepEqual([code, headers['content-type']], [200, 'application/json'], accept)
    }
    for (const accept of ['application/yaml', 'text/plain']) {
      const { code, headers, text } = await get(path, { accept })
      assert.deepEqual([code, text, headers['vary']], [406, '', 'Accept'], accept)
    }
    for (const missing of [
      '/openapi/v3/',
      '/openapi/v3/none',
      '/openapi/v3/apis/none/v1',
      '/openapi/v3/apis/apps/v9',
    ]) {
      const { code, text } = await get(missing)
      assert.deepEqual([code, text], [404, ''], missing)
    }
  })

  test('E5c: OpenAPI v2 tells the schemas, in JSON and in the protobuf that client-go reads', async (t) => {
    const { get } = await start(t)
    const { headers, json } = await get('/openapi/v2')
    assert.equal(headers['content-type'], 'application/json')
    assert.deepEqual([json.swagger, json.info], ['2.0', { title: 'Kubernetes', version: '1.36' }])
    const { metadata, data } = json.definitions['io.k8s.api.core.v1.ConfigMap'].properties
    assert.equal(metadata.$ref, '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta')
    assert.match(data.description, /^Data contains the configuration data\./)
    assert.deepEqual(json.definitions['io.k8s.apimachinery.pkg.util.intstr.IntOrString'].format, 'int-or-string')
    const answered = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
    for (const accept of [answered, 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf']) {
      const answer = await get('/openapi/v2', { accept })
      assert.deepEqual([answer.code, answer.headers['content-type']], [200, answered])
      assert.ok(answer.text.startsWith('\n\x032.0') && answer.text.includes(data.description))
    }
    // Custom kinds of other tests come and go meanwhile.
    await eventually('who has the current one is told so', async () => {
      const { etag = '' } = (await get('/openapi/v2', { accept: answered })).headers
      const { code, text } = await get('/openapi/v2', { accept: answered, 'if-none-match': etag })
      return code === 304 && text === ''
    })
    assert.equal((await get('/openapi/v2', { accept: 'application/yaml' })).code, 406)
  })

  for (const apiVersion of apiVersions)
    test(`E5c: ${apiVersion} is described whole`, async (t) => {
      const { document } = await start(t)
      const { paths, components } = await document(pathOf(apiVersion))
      const schemas = components.schemas ?? {}
      assert.ok(components.securitySchemes?.['BearerToken'])
      for (const reference of referencesIn({ paths, schemas })) {
        assert.ok(reference.startsWith(schemaPrefix))
        assert.ok(schemas[reference.slice(schemaPrefix.length)], reference)
      }
      const operations = operationsOf(paths)
      const ids = operations.map(({ operation }) => operation.operationId)
      assert.equal(new Set(ids).size, ids.length)
      assert.ok(operations.every(({ operation }) => operation.description && operation.responses['401']))
      for (const { group, version, kind, verbs, name, namespaced } of resourceFacts()) {
        if (apiVersionOf(group, version) !== apiVersion) continue
        const schema = schemaWithKind(schemas, { group, version, kind })
        assert.ok(schema?.description, kind)
        const untold = Object.keys(schema.properties ?? {}).filter((field) => !hasWords(schema, field))
        assert.deepEqual(untold, kind === 'CertificateSigningRequest' ? ['metadata'] : [], kind)
        if (verbs.includes('list')) assert.ok(schemaWithKind(schemas, { group, version, kind: `${kind}List` }), kind)
        const base = `/${pathOf(apiVersion)}/${namespaced ? 'namespaces/{namespace}/' : ''}${name}`
        assert.deepEqual(actionsAt(paths, base), expectedActions(verbs, name).collection, base)
        assert.deepEqual(actionsAt(paths, `${base}/{name}`), expectedActions(verbs, name).one, base)
      }
    })

  test('E5c: operations tell what they take and give, kinds tell how they are merged', async (t) => {
    const { document } = await start(t)
    const { paths, components } = await document('apis/apps/v1')
    const item = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']
    assert.ok(item)
    const patch = item['patch'] as Operation
    assert.equal(patch.operationId, 'patchAppsV1NamespacedDeployment')
    assert.equal(patch.description, 'partially update the specified Deployment')
    assert.deepEqual(patch.tags, ['apps_v1'])
    assert.deepEqual(patch['x-kubernetes-group-version-kind'], { group: 'apps', version: 'v1', kind: 'Deployment' })
    assert.deepEqual(
      patch.parameters?.map(({ name }) => name),
      ['dryRun', 'fieldManager', 'fieldValidation', 'force'],
    )
    assert.deepEqual(
      (item['parameters'] as { name: string }[]).map(({ name }) => name),
      ['name', 'namespace', 'pretty'],
    )
    assert.ok(patch.requestBody?.content['application/strategic-merge-patch+json'])
    assert.ok(patch.responses['200']?.content?.['application/yaml'])
    const schemas = components.schemas ?? {}
    const deployment = schemas['io.k8s.api.apps.v1.Deployment']
    assert.equal(deployment?.description, 'Deployment enables declarative updates for Pods and ReplicaSets.')
    const { description, ...metadata } = deployment.properties?.['metadata'] ?? {}
    assert.match(description ?? '', /^Standard object's metadata\./)
    assert.deepEqual(metadata, {
      default: {},
      allOf: [{ $ref: `${schemaPrefix}io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta` }],
    })
    const containers = schemas['io.k8s.api.core.v1.PodSpec']?.properties?.['containers']
    assert.deepEqual(
      [containers?.['x-kubernetes-list-type'], containers?.['x-kubernetes-list-map-keys']],
      ['map', ['name']],
    )
    assert.deepEqual(
      [containers?.['x-kubernetes-patch-merge-key'], containers?.['x-kubernetes-patch-strategy']],
      ['name', 'merge'],
    )
    const options = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'
    assert.deepEqual(schemas[options]?.['x-kubernetes-group-version-kind'], [
      { group: '', kind: 'DeleteOptions', version: 'v1' },
      { group: 'apps', kind: 'DeleteOptions', version: 'v1' },
    ])
  })
})

const hasWords = ({ properties = {} }: Schema, field: string): boolean => properties[field]?.description !== undefined

const actionsAt = (paths: Record<string, Record<string, unknown>>, path: string): string[] =>
  operationsOf({ [path]: paths[path] ?? {} })
    .map(({ operation }) => operation['x-kubernetes-action'] ?? '')
    .sort()

/** As the verbs of discovery are called here. */
function expectedActions(verbs: readonly string[], plural: string) {
  const named: Record<string, string> = { create: 'post', update: 'put' }
  const actions = (of: string[]) => of.filter((verb) => verbs.includes(verb)).map((verb) => named[verb] ?? verb)
  // All namespaces at once are never deleted.
  const collection = actions(['create', 'deletecollection', 'list']).filter(
    (action) => plural !== 'namespaces' || action !== 'deletecollection',
  )
  return { collection: collection.sort(), one: actions(['delete', 'get', 'patch', 'update']).sort() }
}
