import assert from 'node:assert/strict'
import { test } from 'node:test'
import definitions from '../../../test/support/crd-facts/definitions.json' with { type: 'json' }
import schemas from '../../../test/support/crd-facts/schemas.json' with { type: 'json' }
import { aDefinition } from '../../../test/support/custom-resources.ts'
import { foundAtOnce } from '../../../test/support/kind-rules.ts'
import { fieldErrorText } from '../../core/schema/field-errors.ts'
import { decodeTyped } from '../kinds/decode/decode-typed.ts'
import { schemaOf } from '../kinds/facts/schemas.ts'
import type { WriteContext } from '../kinds/kind.ts'
import type { ApiObject } from '../objects.ts'
import { crdRules } from './crd-rules.ts'
import { asDefinition } from './definition.ts'

const schema = schemaOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition')
const context = {} as WriteContext

/** As a request would: decoded, defaulted and prepared. */
function created(sent: object): ApiObject {
  const { object } = decodeTyped(schema, structuredClone(sent) as Record<string, unknown>, 'CustomResourceDefinition')
  crdRules.defaults?.(object)
  crdRules.prepareCreate?.(object, context)
  return object
}

const flawsOf = (sent: object): string[] => told(foundAtOnce(crdRules.checkCreate?.(created(sent))).map(fieldErrorText))
const told = (errors: readonly string[]): string[] => [...new Set(errors)].sort()

test('a schema is refused for what the real server refuses it for', () => {
  for (const { schema, errors } of schemas) {
    const expected = errors.map((error) =>
      error.replaceAll('SCHEMA', 'spec.validation.openAPIV3Schema.properties[spec]'),
    )
    assert.deepEqual(flawsOf(aDefinition({ versions: [{ spec: schema }] })), told(expected), JSON.stringify(schema))
  }
})

test('a definition is refused for what the real server refuses it for', () => {
  for (const { name, spec, errors } of definitions)
    assert.deepEqual(flawsOf({ ...aDefinition(), metadata: { name }, spec }), told(errors), JSON.stringify(spec))
})

test('rules in CEL are compiled, at any depth, and refused with their place', () => {
  const withRule = (rule: string) =>
    aDefinition({
      versions: [
        {
          spec: {
            type: 'object',
            properties: {
              a: { type: 'array', maxItems: 3, items: { type: 'integer', 'x-kubernetes-validations': [{ rule }] } },
            },
          },
        },
      ],
    })
  assert.deepEqual(flawsOf(withRule('self > 0')), [])
  const place = 'spec.validation.openAPIV3Schema.properties[spec].properties[a]'
  assert.deepEqual(flawsOf(withRule('self == oldSelf')), [
    `${place}.items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${place}`,
  ])
  const [flaw = ''] = flawsOf(withRule('self.frobnicate()'))
  assert.match(flaw, /undeclared reference to 'frobnicate' \(in container ''\)/)
})

test('what is left out is filled in, and the status is not the client’s', () => {
  const { spec, status } = asDefinition(created({ ...aDefinition(), status: { storedVersions: ['v9'] } }))
  assert.deepEqual(spec.names, { plural: 'widgets', kind: 'Widget', singular: 'widget', listKind: 'WidgetList' })
  assert.deepEqual(spec.conversion, { strategy: 'None' })
  assert.deepEqual(status, { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] })
})

test('an update keeps the status and remembers a new version to store in', () => {
  const old = created(aDefinition({ versions: [{}, {}] }))
  const next = asDefinition(structuredClone(old))
  next.status = { storedVersions: ['v9'] }
  for (const version of next.spec.versions ?? []) version.storage = version.name === 'v2'
  crdRules.prepareUpdate?.(next, old, context)
  assert.deepEqual(next.status, { ...asDefinition(old).status, storedVersions: ['v1', 'v2'] })
})

test('a deletion is held back by the objects, and is no new generation', () => {
  const definition = asDefinition(created(aDefinition()))
  Object.assign(definition.metadata, {
    generation: 2,
    deletionTimestamp: '2026-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 0,
  })
  crdRules.markDeleting?.(definition)
  assert.deepEqual(definition.metadata.finalizers, ['customresourcecleanup.apiextensions.k8s.io'])
  assert.deepEqual([definition.metadata.generation, definition.metadata.deletionGracePeriodSeconds], [1, undefined])
  assert.deepEqual(definition.status?.conditions, [
    {
      type: 'Terminating',
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    },
  ])
})

test('formats that nobody checks are warned of, once', () => {
  const spec = {
    type: 'object',
    properties: {
      a: { type: 'string', format: 'odd' },
      b: { type: 'number', format: 'int32' },
      c: { type: 'string', format: 'date-time' },
    },
  }
  const definition = created(aDefinition({ versions: [{ spec }] }))
  assert.deepEqual(crdRules.warnings?.(definition), ['unrecognized format "int32"', 'unrecognized format "odd"'])
  assert.deepEqual(crdRules.warnings?.(definition, definition), [])
})
