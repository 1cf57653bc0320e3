import type { Dice } from '../dice.ts'
import type { KindUnderTest } from './kind.ts'

const group = 'differential.example.com'

const spec = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 0, maximum: 10 },
    color: { type: 'string', enum: ['red', 'green', ''], default: 'red' },
    name: { type: 'string', pattern: '^[a-z]*$', maxLength: 5 },
    port: { 'x-kubernetes-int-or-string': true },
    replicas: { type: 'integer', format: 'int32' },
    nested: {
      type: 'object',
      default: {},
      properties: { on: { type: 'boolean', default: true }, note: { type: 'string', nullable: true } },
    },
    tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 } },
      },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    one: {
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
    },
    when: { type: 'string', format: 'date-time' },
  },
}

const status = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    phase: { type: 'string' },
    conditions: { type: 'array', items: { type: 'object', properties: { type: { type: 'string' } } } },
  },
}

const version = (name: string, isStorage: boolean) => ({
  name,
  served: true,
  storage: isStorage,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
  subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
  selectableFields: [{ jsonPath: '.spec.color' }],
  additionalPrinterColumns: [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
    { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
})

const definition = (plural: string, kind: string, scope: string, versions: readonly object[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: { group, names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` }, scope, versions },
})

/** No conversion: both versions have one schema. */
export const definitions: readonly ReturnType<typeof definition>[] = [
  definition('widgets', 'Widget', 'Namespaced', [version('v1', true), version('v2', false)]),
  definition('gadgets', 'Gadget', 'Cluster', [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    },
  ]),
]

const body = (dice: Dice): Record<string, unknown> => ({
  ...(dice.chance(0.97) && {
    spec: {
      ...(dice.chance(0.97) && { size: dice.chance(0.95) ? dice.below(11) : dice.pick<unknown>([-1, 11, 'x', 1.5]) }),
      ...(dice.chance(0.5) && { color: dice.pick(['red', 'green', '', 'green', 'pink']) }),
      ...(dice.chance(0.3) && { name: dice.pick(['abc', 'x', 'X1', 'toolong']) }),
      ...(dice.chance(0.3) && { port: dice.pick<unknown>([80, 'web', true]) }),
      ...(dice.chance(0.4) && { replicas: dice.pick([0, 1, 3]) }),
      ...(dice.chance(0.3) && {
        nested: dice.pick<unknown>([{}, { on: false }, { note: null }, { note: 'note', extra: 1 }]),
      }),
      ...(dice.chance(0.3) && { tags: dice.pick([['a'], ['a', 'b'], ['b', 'a'], ['a', 'a'], []]) }),
      ...(dice.chance(0.3) && {
        parts: dice.pick<unknown>([
          [{ name: 'p' }],
          [{ name: 'p', count: 2 }, { name: 'q' }],
          [{ name: 'q', count: 3 }],
          [{ name: 'p' }, { name: 'p' }],
          [{ count: 1 }],
        ]),
      }),
      ...(dice.chance(0.2) && { free: { any: [1, { thing: null }], more: dice.below(3) } }),
      ...(dice.chance(0.2) && { labels: { a: dice.pick(['x', 'z']) } }),
      ...(dice.chance(0.1) && { one: dice.pick<unknown>([{ a: 'x' }, { b: 'x' }, {}, { a: 'x', b: 'z' }]) }),
      ...(dice.chance(0.1) && { when: dice.pick(['2026-01-02T03:04:05Z', 'soon']) }),
      ...(dice.chance(0.05) && { unknown: { a: 1 } }),
    },
  }),
})

const widget = (name: string): KindUnderTest => ({
  group,
  version: name,
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
  custom: true,
  subresources: ['status', 'scale'],
  pointers: [
    '/spec',
    '/spec/size',
    '/spec/color',
    '/spec/tags',
    '/spec/tags/0',
    '/spec/parts',
    '/spec/parts/0',
    '/spec/nested',
  ],
  fieldSelectors: ['spec.color=red', 'spec.color!=red', 'spec.size=1'],
  body,
  status: (dice) => ({
    ...(dice.chance(0.6) && { replicas: dice.below(3) }),
    ...(dice.chance(0.6) && { phase: dice.pick<unknown>(['Up', 'Down', 3]) }),
    ...(dice.chance(0.4) && { conditions: [{ type: 'Ready', extra: 1 }] }),
  }),
})

export const widgets = widget('v1')
export const widgetsOfV2 = widget('v2')

export const gadgets: KindUnderTest = {
  group,
  version: 'v1',
  plural: 'gadgets',
  kind: 'Gadget',
  namespaced: false,
  custom: true,
  weight: 0.7,
  pointers: ['/any', '/any/0', '/spec', '/spec/a'],
  body: (dice) => ({
    ...(dice.chance(0.6) && { any: dice.pick<unknown>([[1, 2], { a: null }, 'text', [{ b: [] }]]) }),
    ...(dice.chance(0.6) && { spec: { a: dice.below(3), b: { c: dice.pick<unknown>([null, {}, [], 'x']) } } }),
  }),
}
