import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from '../../../core/schema/schema.ts'
import { apiVersionOf } from '../../objects.ts'
import { columnsOf, definitionOf, factsOf, resourceFacts, schemaOf, versionInfo } from './facts.ts'

const at = (schema: Schema, ...path: string[]): Schema =>
  path.reduce<Schema>((found, step) => {
    const next = step === '[]' ? found.items : found.properties?.[step]
    assert.ok(next, `${step} of ${path.join('.')}`)
    return next
  }, schema)

test('every resource has the schema of its kind, whole', () => {
  for (const { group, version, kind } of resourceFacts()) {
    const { properties } = schemaOf(apiVersionOf(group, version), kind)
    assert.ok(properties?.['apiVersion'] && properties['kind'] && properties['metadata'], kind)
  }
})

test('a resource is found by its group and plural', () => {
  const { kind, version, namespaced, shortNames, subresources } = factsOf('apps', 'deployments')
  assert.deepEqual([kind, version, namespaced, shortNames], ['Deployment', 'v1', true, ['deploy']])
  assert.deepEqual(
    subresources.map(({ name, kind, verbs }) => [name, kind, verbs]),
    [
      ['scale', 'Scale', ['get', 'patch', 'update']],
      ['status', 'Deployment', ['get', 'patch', 'update']],
    ],
  )
  assert.throws(() => factsOf('apps', 'statefulsets'))
})

test('what can be listed has columns, what is only asked has none', () => {
  for (const { group, name, verbs } of resourceFacts())
    assert.equal(columnsOf(group, name).length > 0, verbs.includes('list'), name)
  assert.deepEqual(
    columnsOf('', 'configmaps').map(({ name }) => name),
    ['Name', 'Data', 'Age'],
  )
})

test('definitions are shared, also where a default stands beside the reference', () => {
  const configMap = at(schemaOf('v1', 'ConfigMap'), 'metadata')
  const secret = at(schemaOf('v1', 'Secret'), 'metadata')
  assert.deepEqual(configMap.default, {})
  assert.equal(configMap.properties, secret.properties)
  assert.equal(definitionOf(configMap), 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta')
})

test('a schema that refers to itself is a cycle', () => {
  const path = ['spec', 'versions', '[]', 'schema', 'openAPIV3Schema'] as const
  const props = at(schemaOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition'), ...path)
  assert.equal(at(props, 'not'), props)
  assert.equal((at(props, 'properties').additionalProperties as Schema).properties, props.properties)
})

test('the keywords that patches go by are kept', () => {
  const ports = at(schemaOf('v1', 'Service'), 'spec', 'ports')
  assert.deepEqual(
    [ports['x-kubernetes-list-type'], ports['x-kubernetes-list-map-keys']],
    ['map', ['port', 'protocol']],
  )
  assert.equal(at(ports, '[]', 'targetPort')['x-kubernetes-int-or-string'], true)
})

test('kinds that are no resources have schemas, too', () => {
  assert.ok(schemaOf('autoscaling/v1', 'Scale') && schemaOf('authentication.k8s.io/v1', 'TokenRequest'))
  assert.ok(schemaOf('v1', 'DeleteOptions'))
  assert.throws(() => schemaOf('v1', 'Nothing'))
})

test('the version is that of the API and tells nothing of a machine', () => {
  assert.match(versionInfo.gitVersion, /^v1\.\d+\.\d+$/)
  assert.equal(versionInfo.gitVersion.split('.')[1], versionInfo.minor)
  assert.ok(!('buildDate' in versionInfo) && !('platform' in versionInfo))
})
