/** The documents by which clients find out what is served, in the form that every client understands. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { ResourceFacts } from '../../../src/embedded/kinds/facts/facts.ts'
import { resourceFacts, versionInfo } from '../../../src/embedded/kinds/facts/facts.ts'
import { uniqueName } from '../../support/builders.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { rawCall } from '../../support/raw-call.ts'
import { rawRequest } from '../../support/raw-request.ts'
import { teardown } from '../../support/test-scope.ts'

interface ApiGroup {
  name: string
  versions: { groupVersion: string; version: string }[]
  preferredVersion: { groupVersion: string; version: string }
}

interface ApiResource {
  name: string
  verbs: string[]
  [field: string]: unknown
}

const groups = [...new Set(resourceFacts().map(({ group }) => group))]
const named = groups.filter((group) => group !== '')

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const get = async (path: string) => {
    const { code, body } = await rawCall(plane, { path })
    assert.equal(code, 200, `${path}: ${JSON.stringify(body)}`)
    return body
  }
  return { plane, get }
}

/** What discovery says of a resource and its subresources. */
function entriesOf({ group: _, version: __, subresources, ...resource }: ResourceFacts): ApiResource[] {
  const below = subresources.map((one) => ({ ...one, verbs: [...one.verbs], name: `${resource.name}/${one.name}` }))
  return [{ ...resource, verbs: [...resource.verbs] }, ...below]
}

describe('discovery', needsControlPlane, () => {
  test('E5a: /api names the versions of the core group and where the server is', async (t) => {
    const { plane, get } = await start(t)
    const { serverAddressByClientCIDRs, ...rest } = await get('/api')
    assert.deepEqual(rest, { kind: 'APIVersions', versions: ['v1'] })
    assert.deepEqual(serverAddressByClientCIDRs, [{ clientCIDR: '0.0.0.0/0', serverAddress: new URL(plane.url).host }])
  })

  test('E5a: /apis lists every group that is served, each with its versions and the preferred one', async (t) => {
    const { get } = await start(t)
    const list = await get('/apis')
    assert.deepEqual([list.kind, list.apiVersion], ['APIGroupList', 'v1'])
    for (const group of named) {
      const found: ApiGroup = list.groups.find(({ name }: ApiGroup) => name === group)
      const version = { groupVersion: `${group}/v1`, version: 'v1' }
      assert.deepEqual(found?.preferredVersion, version, group)
      assert.ok(found.versions.some(({ groupVersion }) => groupVersion === version.groupVersion))
    }
  })

  for (const group of named)
    test(`E5a: /apis/${group} says what /apis says of the group`, async (t) => {
      const { get } = await start(t)
      const { kind, apiVersion, ...said } = await get(`/apis/${group}`)
      const list = await get('/apis')
      assert.deepEqual([kind, apiVersion], ['APIGroup', 'v1'])
      assert.deepEqual(
        said,
        list.groups.find(({ name }: ApiGroup) => name === group),
      )
    })

  for (const group of groups)
    test(`E5a: the resources of ${group || 'the core group'} are told as Kubernetes tells them`, async (t) => {
      const { get } = await start(t)
      const document = await get(group === '' ? '/api/v1' : `/apis/${group}/v1`)
      assert.equal(document.kind, 'APIResourceList')
      assert.equal(document.groupVersion, group === '' ? 'v1' : `${group}/v1`)
      const expected = resourceFacts().filter((facts) => facts.group === group)
      for (const entry of expected.flatMap(entriesOf))
        assert.deepEqual(
          document.resources.find(({ name }: ApiResource) => name === entry.name),
          entry,
        )
      const names: string[] = document.resources.map(({ name }: ApiResource) => name)
      assert.deepEqual(names, [...names].sort())
    })

  test('E5a: a custom kind appears in all of them, with its names and subresources, and leaves with its definition', async (t) => {
    const { plane } = await start(t)
    const group = `${uniqueName('discovery')}.lanyard.test`
    const remove = await define(t, plane, group)
    const find = async (path: string) => {
      const { code, body } = await rawCall(plane, { path })
      return code === 200 ? body : undefined
    }
    const document = await eventually('the version is there', () => find(`/apis/${group}/v1`))
    const [{ storageVersionHash, ...main }, status, scale] = document.resources
    assert.match(storageVersionHash, /^[\w+/]{11}=$/)
    const { verbs, ...rest } = main
    assert.deepEqual(rest, {
      name: 'gauges',
      singularName: 'gauge',
      namespaced: true,
      kind: 'Gauge',
      shortNames: ['ga'],
      categories: ['all', 'tests'],
    })
    const all = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
    assert.deepEqual(verbs.toSorted(), all)
    const below = { singularName: '', namespaced: true, verbs: ['get', 'patch', 'update'] }
    assert.deepEqual(status, { ...below, name: 'gauges/status', kind: 'Gauge' })
    assert.deepEqual(scale, {
      ...below,
      name: 'gauges/scale',
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
    })
    const asGroup = await eventually('the group has both', () => find(`/apis/${group}`), {
      until: (told) => told?.versions.length === 2,
    })
    assert.deepEqual(
      asGroup.versions.map(({ version }: { version: string }) => version),
      ['v1', 'v1beta1'],
    )
    assert.deepEqual(asGroup.preferredVersion, { groupVersion: `${group}/v1`, version: 'v1' })
    const listed = () => find('/apis').then(({ groups }) => groups.some(({ name }: ApiGroup) => name === group))
    await eventually('it is listed', listed)

    await remove()
    await eventually('the version is gone', async () => !(await find(`/apis/${group}/v1`)))
    await eventually('the group is gone', async () => !(await find(`/apis/${group}`)))
    await eventually('it is not listed', async () => !(await listed()))
  })

  test('E5a: what is not served is not found', async (t) => {
    const { plane } = await start(t)
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'the server could not find the requested resource',
      reason: 'NotFound',
      details: {},
      code: 404,
    }
    for (const path of ['/api/v2', '/apis/apps/v9', '/api/v1/nothings', '/apis/apps/v1/namespaces/default/nothings/x'])
      assert.deepEqual(await rawCall(plane, { path }), { code: 404, body: status, warnings: [] }, path)
    for (const path of ['/apis/nobody.example.com', '/apis/nobody.example.com/v1', '/nothing'])
      assert.deepEqual(await rawCall(plane, { path }), { code: 404, body: '404 page not found\n', warnings: [] }, path)
  })

  test('E5a: its documents are only to be read', async (t) => {
    const { plane } = await start(t)
    for (const [method, path] of [
      ['POST', '/apis/apps/v1'],
      ['DELETE', '/api'],
    ] as const) {
      const { code, body } = await rawCall(plane, { method, path, body: {} })
      assert.deepEqual(
        [code, body.reason, body.message],
        [405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource'],
      )
    }
    const asked = async (method: string, path: string, headers = {}) =>
      (await rawRequest(plane, { method, path, headers })).code
    for (const path of ['/api', '/apis/apps/v1', '/version']) assert.equal(await asked('HEAD', path), 405, path)
    for (const path of ['/', '/apis', '/apis/apps']) assert.equal(await asked('POST', path), 200, path)
    assert.equal(await asked('GET', '/version', { accept: 'application/yaml' }), 406)
    assert.equal(await asked('GET', '/version', { accept: 'application/json;as=Anything' }), 200)
    assert.equal(await asked('GET', '/openapi/v3', { 'if-none-match': '*' }), 304)
  })
})

describe('the version', needsControlPlane, () => {
  test('E2: /version says which Kubernetes this is, in the form of the real one', async (t) => {
    const { get } = await start(t)
    const { gitVersion, ...said } = await get('/version')
    const { gitVersion: followed, ...api } = versionInfo
    for (const [name, value] of Object.entries(api)) assert.equal(said[name], value, name)
    // What follows a plus or a dash is of whoever built it.
    assert.equal(gitVersion.split(/[-+]/)[0], followed)
    for (const name of ['gitCommit', 'gitTreeState', 'buildDate', 'goVersion', 'compiler', 'platform'])
      assert.equal(typeof said[name], 'string', name)
  })
})

/** A custom kind with two versions and both subresources. Resolves to what removes it. */
async function define(t: TestContext, plane: ControlPlane, group: string): Promise<() => Promise<void>> {
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const integer = { type: 'integer' }
  const fields = { type: 'object', properties: { replicas: integer } }
  const version = {
    served: true,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: fields, status: fields } } },
    subresources: {
      status: {},
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    },
  }
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gauges.${group}` },
    spec: {
      group,
      names: { plural: 'gauges', singular: 'gauge', kind: 'Gauge', shortNames: ['ga'], categories: ['all', 'tests'] },
      scope: 'Namespaced',
      versions: [
        { ...version, name: 'v1beta1', storage: false },
        { ...version, name: 'v1', storage: true },
      ],
    },
  }
  const { code, body: said } = await rawCall(plane, { method: 'POST', path: crds, body })
  assert.equal(code, 201, JSON.stringify(said))
  const remove = async () => void (await rawCall(plane, { method: 'DELETE', path: `${crds}/${body.metadata.name}` }))
  teardown(t, remove)
  return remove
}
