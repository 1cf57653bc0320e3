import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aKind, registryOf } from '../admission/testing/scene.ts'
import { openApiDocumentAt, openApiIndex } from './openapi.ts'
import { builtInRegistry } from './testing/scene.ts'

type Schemas = Record<string, { 'x-kubernetes-group-version-kind'?: unknown; properties?: Record<string, unknown> }>

const schemasOf = (document: { components: { schemas: object } } | undefined): Schemas =>
  (document?.components.schemas ?? {}) as Schemas

/** Every reference in it. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : references(inner),
  )
}

test('schemas that hold themselves come to an end, and every reference leads somewhere', () => {
  const registry = builtInRegistry()
  for (const path of Object.keys(openApiIndex(registry).paths)) {
    const schemas = schemasOf(openApiDocumentAt(registry, path))
    for (const reference of new Set(references(schemas)))
      assert.ok(schemas[reference.slice('#/components/schemas/'.length)], `${reference} of ${path}`)
  }
  const crds = schemasOf(openApiDocumentAt(registry, 'apis/apiextensions.k8s.io/v1'))
  const props = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps'
  assert.deepEqual(crds[props]?.properties?.['not'], { $ref: `#/components/schemas/${props}` })
})

test('a kind is told with its schema under the name of the real server', () => {
  const registry = builtInRegistry()
  const schemas = schemasOf(openApiDocumentAt(registry, 'api/v1'))
  const configMap = schemas['io.k8s.api.core.v1.ConfigMap']
  assert.deepEqual(configMap?.['x-kubernetes-group-version-kind'], [{ group: '', version: 'v1', kind: 'ConfigMap' }])
  assert.deepEqual(references(configMap), ['#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'])
})

test('a custom kind is named by its group turned round', () => {
  const registry = registryOf(aKind('example.com', 'Widget', 'widgets', { verbs: ['get', 'list', 'create', 'patch'] }))
  const document = openApiDocumentAt(registry, 'apis/example.com/v1')
  assert.deepEqual(Object.keys(schemasOf(document)), ['com.example.v1.Widget'])
  const paths = document?.paths as Record<string, Record<string, { parameters: { name: string }[] }>>
  const names = (path: string, method: string) => paths[path]?.[method]?.parameters.map(({ name }) => name)
  const base = '/apis/example.com/v1/namespaces/{namespace}/widgets'
  assert.deepEqual(Object.keys(paths), [base, `${base}/{name}`])
  assert.deepEqual(names(base, 'post'), ['dryRun', 'fieldManager', 'fieldValidation'])
  assert.deepEqual(names(`${base}/{name}`, 'patch'), ['dryRun', 'fieldManager', 'fieldValidation', 'force'])
  assert.equal(paths[`${base}/{name}`]?.['delete'], undefined)
})

test('the index has a hash that moves with its document', () => {
  const addressOf = (size: string) => {
    const versions = [
      { name: 'v1', schema: { type: 'object' as const, description: size }, columns: [], selectable: {} },
    ]
    const { paths } = openApiIndex(registryOf(aKind('example.com', 'Widget', 'widgets', { versions })))
    return (paths as Record<string, { serverRelativeURL: string }>)['apis/example.com/v1']?.serverRelativeURL ?? ''
  }
  assert.match(addressOf('a'), /^\/openapi\/v3\/apis\/example\.com\/v1\?hash=[0-9A-F]{128}$/)
  assert.equal(addressOf('a'), addressOf('a'))
  assert.notEqual(addressOf('a'), addressOf('b'))
})

test('what is not served has no document', () => {
  const registry = registryOf(aKind('example.com', 'Widget', 'widgets'), aKind('', 'Core', 'cores'))
  for (const path of ['apis/example.com/v2', 'apis/none/v1', 'api/example.com/v1', 'apis/v1', 'v1', ''])
    assert.equal(openApiDocumentAt(registry, path), undefined, path)
  assert.ok(openApiDocumentAt(registry, 'api/v1'))
})
