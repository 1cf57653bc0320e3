/** Discovery in one document, for clients that ask for it by what they accept. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { ResourceFacts } from '../../../src/embedded/kinds/facts/facts.ts'
import { resourceFacts } from '../../../src/embedded/kinds/facts/facts.ts'
import { customResourceDefinitions } from '../../../src/kube/kinds.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { define, uniqueGroup } from '../../support/custom-resources.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { rawRequest } from '../../support/raw-request.ts'

interface Group {
  metadata: { name?: string }
  versions: { version: string; freshness: string; resources: Resource[] }[]
}

interface Resource {
  resource: string
  verbs: string[]
  subresources?: { subresource: string }[]
  [field: string]: unknown
}

const parameters = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const aggregated = `application/json;${parameters}`
const resourceNames = ({ resources }: Group['versions'][number]) => resources.map(({ resource }) => resource)

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const get = (path: string, headers: Record<string, string> = {}) => rawRequest(plane, { path, headers })
  const groups = async (path: string): Promise<Group[]> => {
    const { code, text, json } = await get(path, { accept: aggregated })
    assert.equal(code, 200, text)
    return json.items
  }
  const groupNamed = async (name: string) => (await groups('/apis')).find(({ metadata }) => metadata.name === name)
  return { plane, get, groups, groupNamed }
}

/** What the document says of a built-in resource and what is behind it. */
function entryOf({ name, namespaced, singularName, kind, verbs, shortNames, categories, subresources }: ResourceFacts) {
  const own = { group: '', version: '', kind }
  const behind = subresources.map((sub) => ({
    subresource: sub.name,
    responseKind: sub.group === undefined ? own : { group: sub.group, version: sub.version, kind: sub.kind },
    verbs: [...sub.verbs],
  }))
  return {
    resource: name,
    responseKind: own,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singularName,
    verbs: [...verbs],
    ...(shortNames && { shortNames }),
    ...(categories && { categories }),
    ...(behind.length > 0 && { subresources: behind }),
  }
}

describe('aggregated discovery', needsControlPlane, () => {
  test('E5b: every resource is told as Kubernetes tells it, in the order of plain discovery', async (t) => {
    const { get, groups } = await start(t)
    const all = [...(await groups('/api')), ...(await groups('/apis'))]
    for (const facts of resourceFacts()) {
      const group = all.find(({ metadata }) => (metadata.name ?? '') === facts.group)
      const version = group?.versions.find(({ version }) => version === facts.version)
      assert.equal(version?.freshness, 'Current', facts.group)
      const { subresources = [], ...found } = version.resources.find(({ resource }) => resource === facts.name) ?? {
        verbs: [],
      }
      const { subresources: expected = [], ...entry } = entryOf(facts)
      assert.deepEqual(found, entry)
      for (const sub of expected)
        assert.deepEqual(
          subresources.find(({ subresource }) => subresource === sub.subresource),
          sub,
        )
      assert.deepEqual(resourceNames(version), resourceNames(version).toSorted())
    }
    const { json } = await get('/apis', { accept: 'application/json' })
    const common = (names: (string | undefined)[]) =>
      names.filter((name) => resourceFacts().some((f) => f.group === name))
    assert.deepEqual(
      common(json.groups.map(({ name }: { name: string }) => name)),
      common(all.slice(1).map(({ metadata }) => metadata.name)),
    )
  })

  test('E5b: a list says what it is, in JSON and in YAML', async (t) => {
    const { get } = await start(t)
    for (const path of ['/api', '/api/', '/apis']) {
      const { headers, json } = await get(path, { accept: aggregated })
      assert.equal(headers['content-type'], aggregated)
      assert.deepEqual(
        [json.kind, json.apiVersion, json.metadata],
        ['APIGroupDiscoveryList', 'apidiscovery.k8s.io/v2', {}],
      )
    }
    const yaml = await get('/apis', { accept: `application/yaml;${parameters}` })
    assert.equal(yaml.headers['content-type'], `application/yaml;${parameters}`)
    assert.match(yaml.text, /^kind: APIGroupDiscoveryList$/m)
  })

  test('E5b: who has the current one is told so', async (t) => {
    const { get } = await start(t)
    const first = await get('/api', { accept: aggregated })
    const tag = first.headers.etag ?? ''
    assert.match(tag, /^"[0-9A-F]{128}"$/)
    assert.deepEqual([first.headers['cache-control'], first.headers['vary']], ['public', 'Accept'])
    const { code, text, headers } = await get('/api', { accept: aggregated, 'if-none-match': tag })
    assert.deepEqual([code, text, headers.etag, headers['vary']], [304, '', tag, 'Accept'])
    assert.equal(headers['content-type'], undefined)
    for (const other of ['"0"', `W/${tag}`])
      assert.equal((await get('/api', { accept: aggregated, 'if-none-match': other })).code, 200, other)
  })

  test('E5b: it is preferred wherever a client asks for it, and only where it is served', async (t) => {
    const { get } = await start(t)
    const beta = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList'
    const kindFor = async (path: string, accept: string) => (await get(path, { accept })).json.kind
    assert.equal(await kindFor('/apis', `${beta},${aggregated},application/json`), 'APIGroupDiscoveryList')
    assert.equal(await kindFor('/apis', `${aggregated};profile=nopeer`), 'APIGroupDiscoveryList')
    assert.equal(await kindFor('/apis', `application/json,${aggregated};q=0.5`), 'APIGroupDiscoveryList')
    assert.equal(await kindFor('/apis', `${beta},application/json`), 'APIGroupList')
    assert.equal(await kindFor('/api', 'application/json'), 'APIVersions')
    assert.equal(await kindFor('/apis/apps', `${aggregated},application/json`), 'APIGroup')
    for (const [path, accept] of [
      ['/apis', beta],
      ['/apis/', aggregated],
      ['/apis/apps', aggregated],
    ] as const)
      assert.deepEqual([(await get(path, { accept })).code, await kindFor(path, accept)], [406, 'Status'], path)
  })

  test('E5b: a custom kind is told in each of its versions, the most stable first', async (t) => {
    const { plane, get, groupNamed } = await start(t)
    const before = (await get('/apis', { accept: aggregated })).headers.etag
    const group = uniqueGroup()
    const subresources = {
      status: {},
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    }
    const replicas = { type: 'object', properties: { replicas: { type: 'integer' } } }
    const schema = { type: 'object', properties: { spec: replicas, status: replicas } }
    const versions = ['v1alpha1', 'v2', 'v10', 'v1beta1', 'foo'].map((name) => ({ name, schema, subresources }))
    const names = { shortNames: ['wi'], categories: ['all'], singular: 'widget' }
    await define(t, kubeClient(t, plane.connection()), { group, names, versions })
    const found = await eventually('all versions are told', async () => {
      const found = await groupNamed(group)
      return found?.versions.length === 5 && found
    })
    assert.deepEqual(
      found.versions.map(({ version }) => version),
      ['v10', 'v2', 'v1beta1', 'v1alpha1', 'foo'],
    )
    const own = { group, version: 'v10', kind: 'Widget' }
    const verbs = ['get', 'patch', 'update']
    assert.deepEqual(found.versions[0]?.resources, [
      {
        resource: 'widgets',
        responseKind: own,
        scope: 'Namespaced',
        singularResource: 'widget',
        verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
        shortNames: ['wi'],
        categories: ['all'],
        subresources: [
          { subresource: 'status', responseKind: own, verbs },
          { subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs },
        ],
      },
    ])
    assert.notEqual((await get('/apis', { accept: aggregated })).headers.etag, before)
  })

  test('E5b: of a kind that is being removed nothing more can be made, and then it is gone', async (t) => {
    const { plane, groupNamed } = await start(t)
    const admin = kubeClient(t, plane.connection())
    const namespace = await freshNamespace(t, admin)
    const widgets = await define(t, admin)
    const collection = admin.of(widgets.of())
    const metadata = { name: 'held', namespace, finalizers: ['lanyard.test/held'] }
    await collection.create({ apiVersion: `${widgets.group}/v1`, kind: 'Widget', metadata })
    await admin.of(customResourceDefinitions).delete(widgets.name)
    const verbsOf = async () => (await groupNamed(widgets.group))?.versions[0]?.resources[0]?.verbs
    await eventually('it only ends', async () => (await verbsOf())?.join() === 'delete,deletecollection,get,list,watch')
    const release = [{ op: 'remove', path: '/metadata/finalizers' }]
    await admin.request({
      method: 'PATCH',
      path: `${widgets.path({ namespace })}/held`,
      contentType: 'application/json-patch+json',
      body: release,
    })
    await eventually('it is gone', async () => !(await groupNamed(widgets.group)))
  })

  test('E5b: a kind whose objects are gone can do everything again while its definition is held back', async (t) => {
    const { plane, groupNamed } = await start(t)
    const admin = kubeClient(t, plane.connection())
    const { name, group } = await define(t, admin)
    const definitions = admin.of(customResourceDefinitions)
    const hold = (finalizers: string[]) =>
      eventually('it is changed', async () => {
        const current = await definitions.get(name)
        const kept = current.metadata.finalizers?.filter((finalizer) => !finalizer.startsWith('lanyard.test/'))
        return definitions
          .update({ ...current, metadata: { ...current.metadata, finalizers: [...(kept ?? []), ...finalizers] } })
          .catch(() => undefined)
      })
    await hold(['lanyard.test/held'])
    await definitions.delete(name)
    await eventually('its objects are gone', async () => {
      const { status } = await definitions.get(name)
      return status?.conditions?.some(({ type, status }) => type === 'Terminating' && status === 'False')
    })
    await eventually('all verbs are told', async () => {
      const found = await groupNamed(group)
      return found?.versions[0]?.resources[0]?.verbs.length === 8
    })
    await hold([])
    await eventually('it is gone', async () => !(await groupNamed(group)))
  })
})
