/** Discovery and OpenAPI of the embedded control plane beside those of a real kube-apiserver: whole documents. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { launchEmbedded } from '../support/control-plane/embedded.ts'
import type { ControlPlane } from '../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { findDocument } from '../support/openapi.ts'
import { rawRequest } from '../support/raw-request.ts'
import { suiteScope } from '../support/suite-scope.ts'
import { teardown } from '../support/test-scope.ts'
import { toldKinds, toldVersions } from '../support/told-kinds.ts'

// biome-ignore lint/suspicious/noExplicitAny: whatever the servers say, to be compared
type Json = any

const ofEveryVersion = 'it is a kind of every version there is, and others are served here'
const onlySchemas = 'clients that read v2 look for schemas; operations are told in v3'

/** What the embedded one tells otherwise, each with its reason. A row that no longer applies fails the test. */
const differences: { document: string; at: string[]; reason: string }[] = [
  { document: '/openapi/v2', at: ['paths'], reason: onlySchemas },
  { document: '/openapi/v2', at: ['parameters'], reason: onlySchemas },
  ...['DeleteOptions', 'WatchEvent'].map((kind) => ({
    document: '/openapi/v2',
    at: ['definitions', `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`, 'x-kubernetes-group-version-kind'],
    reason: ofEveryVersion,
  })),
]

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

describe('both control planes tell the same', needsControlPlane, () => {
  const scope = suiteScope()
  let real: ControlPlane
  let ours: ControlPlane

  before(async () => {
    const embedded = await launchEmbedded({})
    teardown(scope, () => embedded.stop())
    ours = embedded
    real = await startControlPlane(scope)
    for (const plane of [ours, real])
      for (const definition of toldKinds) {
        const headers = { 'content-type': 'application/json' }
        const body = JSON.stringify(definition)
        const { code, text } = await rawRequest(plane, { method: 'POST', path: definitions, headers, body })
        assert.equal(code, 201, text)
        const path = `${definitions}/${definition.metadata.name}`
        teardown(scope, async () => void (await rawRequest(plane, { method: 'DELETE', path })))
      }
    for (const plane of [ours, real])
      for (const apiVersion of toldVersions)
        await eventually(`${apiVersion} is told`, () => isTold(plane, apiVersion), { withinMs: 60_000 })
  })

  async function isTold(plane: ControlPlane, apiVersion: string): Promise<boolean> {
    const kinds = toldKinds.filter(({ spec }) =>
      spec.versions.some(({ name }) => `${spec.group}/${name}` === apiVersion),
    )
    const found = await findDocument(plane, `apis/${apiVersion}`)
    const list = await rawRequest(plane, { path: `/apis/${apiVersion}` })
    const all = await get(plane, '/apis', aggregated)
    const group = all.items.find(({ metadata }: Json) => metadata.name === apiVersion.split('/')[0])
    const version = group?.versions.find(({ version }: Json) => version === apiVersion.split('/')[1])
    return kinds.every(({ spec: { names } }) =>
      [
        Object.keys(found?.paths ?? {}).some((path) => path.endsWith(`/${names.plural}`)),
        list.json?.resources?.some(({ name }: Json) => name === names.plural),
        version?.resources.some(({ resource }: Json) => resource === names.plural),
      ].every(Boolean),
    )
  }

  async function get(plane: ControlPlane, path: string, accept = 'application/json'): Promise<Json> {
    const { code, json, text } = await rawRequest(plane, { path, headers: { accept } })
    assert.equal(code, 200, `${path}: ${text}`)
    return json
  }

  /** The same of both, the real one without what only it has. */
  async function compare(path: string, common: (theirs: Json, ours: Json) => Json, accept?: string): Promise<void> {
    const [told, theirs] = [await get(ours, path, accept), await get(real, path, accept)]
    for (const { document, at, reason } of differences)
      if (document === path) {
        const [parts, last] = [at.slice(0, -1), at.at(-1) ?? '']
        const [own, other] = [told, theirs].map((whole) => parts.reduce((part, step) => part[step], whole))
        assert.notDeepEqual(own[last], other[last], `${path} no longer differs in ${at}: ${reason}`)
        if (last in own) other[last] = own[last]
        else delete other[last]
      }
    assert.deepEqual(told, common(theirs, told), path)
  }

  test('E5e: the paths there are', async () => {
    const [{ paths }, theirs] = [await get(ours, '/'), await get(real, '/')]
    assert.deepEqual(
      paths,
      theirs.paths.filter((path: string) => paths.includes(path)),
    )
  })

  test('E5e: groups and their versions, in their order', async () => {
    await compare('/apis', (theirs, ours) => ({ ...theirs, groups: alike(theirs.groups, ours.groups, 'name') }))
    const { groups } = await get(ours, '/apis')
    for (const { name } of groups) await compare(`/apis/${name}`, (theirs) => theirs)
  })

  test('E5e: resources of each version', async () => {
    const { groups } = await get(ours, '/apis')
    const versions = groups.flatMap(({ versions }: Json) => versions.map(({ groupVersion }: Json) => groupVersion))
    for (const path of ['/api/v1', ...versions.map((apiVersion: string) => `/apis/${apiVersion}`)])
      await compare(path, (theirs, ours) => {
        const common = alike(theirs.resources, ours.resources, 'name')
        const resources = isCustom(path.split('/')[2] ?? '') ? inOrderOf(ours.resources, common, 'name') : common
        return { ...theirs, resources }
      })
  })

  test('E5e: all of it in one document', async () => {
    const nameOf = ({ metadata }: Json) => metadata.name
    for (const path of ['/api', '/apis'])
      await compare(
        path,
        (theirs, ours) => ({ ...theirs, items: alikeBy(theirs.items, ours.items, nameOf, commonGroup) }),
        aggregated,
      )
  })

  test('E5e: OpenAPI of each group and version', async () => {
    const { paths } = await get(ours, '/openapi/v3')
    const { paths: theirs } = await get(real, '/openapi/v3')
    assert.deepEqual(
      Object.keys(paths).filter((path) => !(path in theirs)),
      [],
    )
    assert.ok(toldVersions.every((apiVersion) => paths[`apis/${apiVersion}`]))
    for (const path of Object.keys(paths))
      await compare(`/openapi/v3/${path}`, (theirs, ours) => ({
        ...theirs,
        paths: shared(theirs.paths, ours.paths),
        components: {
          ...theirs.components,
          ...(theirs.components.schemas && { schemas: shared(theirs.components.schemas, ours.components.schemas) }),
        },
      }))
  })

  test('E5e: the schemas in OpenAPI v2', async () => {
    await compare('/openapi/v2', (theirs, ours) => ({
      ...theirs,
      definitions: shared(theirs.definitions, ours.definitions),
    }))
  })
})

const alike = (theirs: Json[], ours: Json[], key: string): Json[] => alikeBy(theirs, ours, (entry) => entry[key])

/** Those that both have, in their order, each with what both have of it. */
function alikeBy(theirs: Json[], ours: Json[], key: (entry: Json) => unknown, common = (one: Json, _: Json) => one) {
  return theirs.flatMap((entry) => {
    const own = ours.find((one) => key(one) === key(entry))
    return own ? [common(entry, own)] : []
  })
}

function commonGroup(theirs: Json, ours: Json): Json {
  const common = (one: Json, own: Json) => {
    const resources = alikeBy(one.resources, own.resources, ({ resource }) => resource, commonResource)
    return {
      ...one,
      resources: isCustom(theirs.metadata.name) ? inOrderOf(own.resources, resources, 'resource') : resources,
    }
  }
  return { ...theirs, versions: alikeBy(theirs.versions, ours.versions, ({ version }) => version, common) }
}

const isCustom = (group: string): boolean => toldKinds.some(({ spec }) => spec.group === group)

/** A real server tells the custom kinds of a version in the order of a Go map, another one every time. */
const inOrderOf = (ours: Json[], theirs: Json[], key: string): Json[] => {
  const place = (entry: Json) => ours.findIndex((one) => one[key] === entry[key])
  return theirs.toSorted((one, other) => place(one) - place(other))
}

function commonResource({ subresources, ...theirs }: Json, ours: Json): Json {
  const common = alike(subresources ?? [], ours.subresources ?? [], 'subresource')
  return { ...theirs, ...(common.length > 0 && { subresources: common }) }
}

const shared = (theirs: Json, ours: Json): Json =>
  Object.fromEntries(Object.entries(theirs).filter(([name]) => name in (ours ?? {})))
