import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as Type from 'typebox'
import type { Condition } from '../core/conditions.ts'
import { fieldErrorText } from '../core/schema/field-errors.ts'
import type { Resource } from '../kube/objects.ts'
import type { ObjectOf } from './declare.ts'
import { customResource, isCustomResource } from './declare.ts'
import { Conditions, Int32, listMap, MapOf, Quantity, rules, Time } from './fields.ts'

const Taint = Type.Object({
  key: Type.String({ maxLength: 316 }),
  effect: Type.Enum(['NoSelect', 'PreferNoSelect']),
  timeAdded: Type.Optional(Type.Union([Time(), Type.Null()])),
})

const Widget = customResource({
  group: 'example.lanyard.io',
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  shortNames: ['wd'],
  categories: ['lanyard'],
  scope: 'Namespaced',
  conversion: { webhookPath: '/convert' },
  versions: [
    {
      name: 'v1',
      storage: true,
      schema: Type.Object(
        {
          spec: Type.Object(
            {
              seconds: Type.Optional(Int32({ default: 60, minimum: 1 })),
              taints: Type.Optional(Type.Array(Taint, listMap('key'))),
              site: Type.Optional(Type.Object({ region: Type.String({ default: 'west' }) }, { default: {} })),
            },
            rules({ rule: 'self == oldSelf', message: 'it cannot be changed' }),
          ),
          status: Type.Optional(
            Type.Object({ conditions: Conditions('What is so.'), capacity: Type.Optional(MapOf(Quantity())) }),
          ),
        },
        { description: 'A thing to test with.' },
      ),
      columns: [{ name: 'Seconds', type: 'integer', jsonPath: '.spec.seconds' }],
      selectableFields: ['.spec.seconds'],
    },
    {
      name: 'v1alpha1',
      served: false,
      deprecated: 'use v1',
      schema: Type.Object({ spec: Type.Optional(Type.Object({ seconds: Type.Integer() })) }),
    },
  ],
})
type Widget = ObjectOf<typeof Widget>
type OldWidget = ObjectOf<typeof Widget, 'v1alpha1'>

const aWidget = (spec: Widget['spec'] = {}): Widget => ({
  apiVersion: 'example.lanyard.io/v1',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'b' },
  spec,
})

test('the address is that of the stored version, and each version has its own', () => {
  const stored: Resource<Widget> = Widget.resource
  const old: Resource<OldWidget> = Widget.versions.v1alpha1
  assert.deepEqual(stored, {
    group: 'example.lanyard.io',
    version: 'v1',
    plural: 'widgets',
    kind: 'Widget',
    namespaced: true,
  })
  assert.equal(old.version, 'v1alpha1')
})

test('the type follows the declaration', () => {
  const widget = aWidget({ taints: [{ key: 'a', effect: 'NoSelect', timeAdded: null }] })
  const conditions: Condition[] | undefined = widget.status?.conditions
  const old: OldWidget = { spec: { seconds: 1 } }
  // @ts-expect-error an effect that is not declared
  aWidget({ taints: [{ key: 'a', effect: 'Select' }] })
  // @ts-expect-error a spec is required in v1
  const without: Widget = { metadata: {} }
  assert.deepEqual([conditions, old.spec?.seconds, without.metadata], [undefined, 1, {}])
})

test('the manifest says all that was declared', () => {
  const { metadata, spec } = Widget.crd()
  assert.equal(metadata?.name, 'widgets.example.lanyard.io')
  assert.deepEqual(spec.names, {
    kind: 'Widget',
    listKind: 'WidgetList',
    plural: 'widgets',
    singular: 'widget',
    shortNames: ['wd'],
    categories: ['lanyard'],
  })
  const [v1, old] = spec.versions
  assert.deepEqual(
    { ...v1, schema: undefined },
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: undefined,
      subresources: { status: {} },
      additionalPrinterColumns: [{ name: 'Seconds', type: 'integer', jsonPath: '.spec.seconds' }],
      selectableFields: [{ jsonPath: '.spec.seconds' }],
    },
  )
  assert.deepEqual(
    [old?.served, old?.storage, old?.deprecated, old?.deprecationWarning, old?.subresources],
    [false, false, true, 'use v1', undefined],
  )
})

test('the schema in the manifest has the metadata, the required fields and the rules', () => {
  const schema = Widget.schema('v1')
  assert.equal(schema.description, 'A thing to test with.')
  assert.deepEqual(Object.keys(schema.properties ?? {}), ['apiVersion', 'kind', 'metadata', 'spec', 'status'])
  assert.deepEqual(schema.required, ['spec'])
  const spec = schema.properties?.['spec']
  assert.deepEqual(spec?.['x-kubernetes-validations'], [{ rule: 'self == oldSelf', message: 'it cannot be changed' }])
  assert.deepEqual(spec?.properties?.['taints']?.['x-kubernetes-list-map-keys'], ['key'])
  assert.equal(spec?.properties?.['taints']?.items?.properties?.['timeAdded']?.nullable, true)
})

test('where the webhook is known, the manifest asks it to convert', () => {
  const service = { namespace: 'lanyard', name: 'hub' }
  assert.equal(Widget.crd().spec.conversion, undefined)
  assert.deepEqual(Widget.crd({ conversion: { caBundle: 'Q0E=', service } }).spec.conversion, {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { caBundle: 'Q0E=', service: { ...service, path: '/convert' } },
      conversionReviewVersions: ['v1'],
    },
  })
  const byUrl = Widget.crd({ conversion: { caBundle: 'Q0E=', url: 'https://127.0.0.1:9443' } })
  assert.equal(byUrl.spec.conversion?.webhook?.clientConfig?.url, 'https://127.0.0.1:9443/convert')
})

test('defaults are those of the version of the object', () => {
  assert.deepEqual(Widget.applyDefaults(aWidget()).spec, { seconds: 60, site: { region: 'west' } })
  const old: OldWidget = { apiVersion: 'example.lanyard.io/v1alpha1', kind: 'Widget', spec: { seconds: 1 } }
  assert.equal(Widget.applyDefaults(old), old)
})

test('a good object passes the check', () => {
  assert.deepEqual(Widget.check(aWidget({ seconds: 5 }), { strict: true }), [])
})

test('a bad object is told field by field in the words of the API server', () => {
  const bad = aWidget({
    seconds: 0,
    taints: [
      { key: 'a', effect: 'NoSelect' },
      { key: 'a', effect: 'NoSelect' },
    ],
  })
  assert.deepEqual(Widget.check(bad).map(fieldErrorText), [
    'spec.seconds: Invalid value: 0: spec.seconds in body should be greater than or equal to 1',
    'spec.taints[1]: Duplicate value: {"key":"a"}',
  ])
})

test('fields that nobody declared are told when asked strictly', () => {
  const odd = { ...aWidget(), metadata: { name: 'a', labels: { any: 'thing' } }, spec: { secnds: 1 } }
  assert.deepEqual(Widget.check(odd), [])
  assert.deepEqual(
    Widget.check(odd, { strict: true }).map(({ field }) => field),
    ['spec.secnds'],
  )
})

test('an object of another version or kind is told so', () => {
  const check = (changes: object) => Widget.check({ ...aWidget(), ...changes }).map(fieldErrorText)
  assert.deepEqual(check({ apiVersion: 'example.lanyard.io/v2' }), [
    'apiVersion: Unsupported value: "example.lanyard.io/v2": supported values: "example.lanyard.io/v1", "example.lanyard.io/v1alpha1"',
  ])
  assert.deepEqual(check({ apiVersion: 'other.io/v1' }).length, 1)
  assert.deepEqual(check({ kind: 'Gadget' }), ['kind: Unsupported value: "Gadget": supported values: "Widget"'])
})

const impossible: [what: string, schema: Type.TObject, message: RegExp][] = [
  [
    'a default that its own check refuses',
    Type.Object({ a: Type.String({ default: '', minLength: 1 }) }),
    /v1 has a default that its own check refuses: a: /,
  ],
  [
    'a list map without such a key',
    Type.Object({ a: Type.Array(Type.Object({}), listMap('name')) }),
    /v1 a has the key name, which its items lack/,
  ],
  [
    'a list map with an optional key',
    Type.Object({ a: Type.Array(Type.Object({ name: Type.Optional(Type.String()) }), listMap('name')) }),
    /must be required or have a default/,
  ],
  ['unique items', Type.Object({ a: Type.Array(Type.String(), { uniqueItems: true }) }), /x-kubernetes-list-type: set/],
]
for (const [what, schema, message] of impossible)
  test(`a declaration with ${what} makes no manifest`, () => {
    const broken = customResource({ ...Widget.declaration, versions: [{ name: 'v1', storage: true, schema }] })
    assert.throws(() => broken.crd(), { name: 'TypeError', message })
  })

test('a declaration stores exactly one version', () => {
  const schema = Type.Object({})
  const none = customResource({ ...Widget.declaration, versions: [{ name: 'v1', schema }] })
  assert.throws(() => none.crd(), /Widget: exactly one version must be stored, not 0/)
})

test('a custom resource is told from other exports', () => {
  assert.ok(isCustomResource(Widget))
  assert.equal(isCustomResource(Taint), false)
})
