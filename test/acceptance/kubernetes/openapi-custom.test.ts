/** OpenAPI v3: what it says of kinds that a CustomResourceDefinition made. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { customResourceDefinitions } from '../../../src/kube/kinds.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import type { Defined, DefinitionInput } from '../../support/custom-resources.ts'
import { define, redefine, uniqueGroup } from '../../support/custom-resources.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import type { Document, Schema } from '../../support/openapi.ts'
import { findDocument, operationsOf, referencesIn, schemaPrefix } from '../../support/openapi.ts'
import { rawRequest } from '../../support/raw-request.ts'

async function start(t: TestContext) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  const published = (path: string, isNew: (document: Document) => boolean = () => true) =>
    eventually(`${path} is published`, async () => {
      const document = await findDocument(plane, path)
      return document && isNew(document) && document
    })
  const defined = async (input: DefinitionInput) => {
    const kind = await define(t, admin, input)
    return { kind, document: await published(`apis/${kind.group}/v1`), name: modelOf(kind) }
  }
  return { plane, admin, published, defined }
}

const modelOf = ({ group }: Defined, version = 'v1', kind = 'Widget') =>
  [...group.split('.').reverse(), version, kind].join('.')

const ofSpec = ({ components }: Document, name: string): Schema =>
  components.schemas?.[name]?.properties?.['spec']?.properties as Schema

const meta = `${schemaPrefix}io.k8s.apimachinery.pkg.apis.meta.v1`

describe('OpenAPI of custom kinds', needsControlPlane, () => {
  test('E5d: a kind is described with the words of its definition, and with what every object has', async (t) => {
    const { defined } = await start(t)
    const color = { type: 'string', description: 'What one sees.', enum: ['red', 'blue'], default: 'red', maxLength: 9 }
    const schema = {
      type: 'object',
      description: 'A widget does something.',
      required: ['spec'],
      properties: {
        apiVersion: { type: 'string', description: 'other words' },
        metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 9 } } },
        spec: { type: 'object', description: 'What is wanted.', properties: { color } },
      },
    }
    const versions = [{ schema, selectableFields: [{ jsonPath: '.spec.color' }] }]
    const { kind, document, name } = await defined({ versions })
    assert.deepEqual(document.info, { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' })
    const widget = document.components.schemas?.[name]
    const { apiVersion, kind: ofKind, metadata, spec, ...more } = widget?.properties ?? {}
    assert.deepEqual(more, {})
    assert.match(apiVersion?.description ?? '', /^APIVersion defines the versioned schema of this representation/)
    assert.match(ofKind?.description ?? '', /^Kind is a string value representing the REST resource/)
    assert.match(metadata?.description ?? '', /^Standard object's metadata\./)
    assert.deepEqual(metadata?.['allOf'], [{ $ref: `${meta}.ObjectMeta` }])
    assert.deepEqual(spec, schema.properties.spec)
    assert.deepEqual([widget?.description, widget?.['required']], [schema.description, ['spec']])
    const about = { group: kind.group, version: 'v1' }
    assert.deepEqual(widget?.['x-kubernetes-group-version-kind'], [{ ...about, kind: 'Widget' }])
    assert.deepEqual(widget?.['x-kubernetes-selectable-fields'], [{ fieldPath: 'spec.color' }])
    const list = document.components.schemas?.[`${name}List`]
    assert.equal(list?.description, 'WidgetList is a list of Widget')
    assert.deepEqual(list?.['x-kubernetes-group-version-kind'], [{ ...about, kind: 'WidgetList' }])
    assert.deepEqual(list?.properties?.['items'], {
      description:
        'List of widgets. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md',
      type: 'array',
      items: { $ref: `${schemaPrefix}${name}` },
    })
  })

  test('E5d: schemas are published as they are enforced', async (t) => {
    const { defined } = await start(t)
    const kept = {
      anything: { 'x-kubernetes-preserve-unknown-fields': true },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
      map: { type: 'object', additionalProperties: { type: 'string', nullable: true } },
      list: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      },
      one: {
        type: 'object',
        properties: { a: { type: 'string' } },
        oneOf: [{ required: ['a'] }, { maxProperties: 0 }],
      },
      zero: { type: 'integer', minimum: 0, default: 0 },
      off: { type: 'boolean', default: false },
      long: { type: 'string', example: 'x', externalDocs: { url: 'https://example.com' }, title: 'Long' },
    }
    const said = {
      ...kept,
      port: { 'x-kubernetes-int-or-string': true },
      share: { 'x-kubernetes-int-or-string': true, anyOf: [{ pattern: '%$' }, { minimum: 1 }] },
      inner: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
      nothing: { type: 'string', nullable: false, description: '', minLength: 0, uniqueItems: false },
    }
    const { document, name } = await defined({ versions: [{ spec: { type: 'object', properties: said } }] })
    const { port, share, inner, nothing, ...rest } = ofSpec(document, name) as Record<string, Schema>
    assert.deepEqual(rest, kept)
    const integerOrString = [{ type: 'integer' }, { type: 'string' }]
    assert.deepEqual(port, { 'x-kubernetes-int-or-string': true, anyOf: integerOrString })
    assert.deepEqual(share, { ...said.share, allOf: [{ anyOf: integerOrString }] })
    assert.deepEqual(nothing, { type: 'string', minLength: 0 })
    const { apiVersion, kind, metadata, ...own } = inner?.properties ?? {}
    assert.match(apiVersion?.description ?? '', /^apiVersion defines the versioned schema/)
    assert.match(kind?.description ?? '', /^kind is a string value representing the type of this object/)
    assert.deepEqual(metadata?.['allOf'], [{ $ref: `${meta}.ObjectMeta` }])
    assert.deepEqual([own, inner?.['required']], [{ spec: { type: 'object' } }, ['kind', 'apiVersion']])
  })

  test('E5d: each version tells its own subresources and operations', async (t) => {
    const { published, defined } = await start(t)
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' }
    const spec = { type: 'object', properties: { replicas: { type: 'integer' } } }
    const schema = { type: 'object', properties: { spec, status: spec } }
    const versions = [{ schema, subresources: { status: {}, scale } }, { schema }]
    const { kind, document, name } = await defined({ names: { kind: 'Acorn' }, versions })
    const base = `/apis/${kind.group}/v1`
    const inNamespace = `${base}/namespaces/{namespace}/widgets`
    assert.deepEqual(Object.keys(document.paths), [
      inNamespace,
      ...['', '/scale', '/status'].map((below) => `${inNamespace}/{name}${below}`),
      `${base}/widgets`,
    ])
    const label = kind.group
      .split(/[-.]/)
      .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
      .join('')
    const shown = operationsOf(document.paths).map(({ operation }) => [operation.operationId, operation.description])
    const described = Object.fromEntries(shown)
    assert.equal(described[`create${label}V1NamespacedAcorn`], 'create an Acorn')
    assert.equal(described[`list${label}V1AcornForAllNamespaces`], 'list objects of kind Acorn')
    assert.equal(described[`patch${label}V1NamespacedAcornScale`], 'partially update scale of the specified Acorn')
    assert.equal(shown.length, 14)
    const model = name.replace('Widget', 'Acorn')
    const references = referencesIn(document.paths)
    assert.ok(
      references.has(`${schemaPrefix}${model}`) && references.has(`${schemaPrefix}io.k8s.api.autoscaling.v1.Scale`),
    )
    for (const reference of referencesIn(document))
      assert.ok(document.components.schemas?.[reference.slice(schemaPrefix.length)], reference)

    const second = await published(`apis/${kind.group}/v2`)
    const paths = Object.keys(second.paths).map((path) => path.slice(`/apis/${kind.group}/v2`.length))
    assert.deepEqual(paths, ['/namespaces/{namespace}/widgets', '/namespaces/{namespace}/widgets/{name}', '/widgets'])
  })

  test('E5d: kinds of one version stand in one document, cluster-wide ones without a namespace', async (t) => {
    const { plane, admin, published, defined } = await start(t)
    const group = uniqueGroup()
    const { document } = await defined({ group })
    const names = { plural: 'glass', kind: 'Glass' }
    const glass = await define(t, admin, { group, names, scope: 'Cluster' })
    const both = await published(`apis/${group}/v1`, ({ paths }) => Object.keys(paths).length > 3)
    assert.deepEqual(
      Object.keys(both.paths).filter((path) => !(path in document.paths)),
      [`/apis/${group}/v1/glass`, `/apis/${group}/v1/glass/{name}`],
    )
    const item = both.paths[`/apis/${group}/v1/glass/{name}`] as { parameters?: { name: string }[] }
    assert.deepEqual(
      item.parameters?.map(({ name }) => name),
      ['name', 'pretty'],
    )
    await admin.of(customResourceDefinitions).delete(glass.name)
    const left = await published(`apis/${group}/v1`, ({ paths }) => Object.keys(paths).length === 3)
    assert.deepEqual(left, document)
    const { json } = await rawRequest(plane, { path: '/openapi/v3' })
    assert.ok(json.paths[`apis/${group}/v1`] && !json.paths[`apis/${group}`])
  })

  test('E5d: a change of the definition is another document under another hash, and the end of it is none', async (t) => {
    const { plane, admin, published, defined } = await start(t)
    const { kind, name } = await defined({ versions: [{ spec: { type: 'object', properties: {} } }] })
    const path = `apis/${kind.group}/v1`
    const hashOf = async () => (await rawRequest(plane, { path: '/openapi/v3' })).json.paths[path]?.serverRelativeURL
    const before = await eventually('it is in the index', hashOf)
    await redefine(admin, kind.name, ({ versions }) => {
      const [{ schema } = {}] = versions ?? []
      Object.assign(schema?.openAPIV3Schema?.properties?.['spec'] ?? {}, { properties: { size: { type: 'integer' } } })
    })
    const changed = await published(path, (document) => ofSpec(document, name) !== undefined)
    assert.deepEqual(ofSpec(changed, name), { size: { type: 'integer' } })
    await eventually('the index moves', async () => (await hashOf()) !== before)
    await admin.of(customResourceDefinitions).delete(kind.name)
    await eventually('it is gone', async () => !(await findDocument(plane, path)))
    await eventually('the index knows', async () => (await hashOf()) === undefined)
  })
})
