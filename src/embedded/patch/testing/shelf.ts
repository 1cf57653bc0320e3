import fc from 'fast-check'
import type { Schema } from '../../../core/schema/schema.ts'
import type { ApiObject } from '../../objects.ts'

const text: Schema = { type: 'string' }

/** A kind with every type of list and map. */
export const shelfSchema: Schema = {
  type: 'object',
  properties: {
    apiVersion: text,
    kind: text,
    metadata: {
      type: 'object',
      properties: {
        name: text,
        uid: text,
        resourceVersion: text,
        managedFields: { type: 'array' },
        labels: { type: 'object', additionalProperties: text },
        annotations: { type: 'object', additionalProperties: text },
        finalizers: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      },
    },
    spec: {
      type: 'object',
      properties: {
        title: text,
        count: { type: 'integer' },
        open: { type: 'boolean' },
        port: { 'x-kubernetes-int-or-string': true },
        tags: { type: 'array', items: text },
        authors: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        books: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', properties: { name: text, shelf: text, lent: text } },
        },
        doors: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, note: text },
          },
        },
        size: { type: 'object', properties: { width: text, height: text } },
        frame: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { wood: text, color: text } },
        notes: { type: 'object', additionalProperties: text },
        rooms: { type: 'object', additionalProperties: { type: 'object', properties: { x: text, y: text } } },
        extra: { 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: { type: 'object', properties: { full: text } },
  },
}

export const shelfVersion = 'lanyard.test/v1'

export const aShelf = (spec?: object, metadata: object = {}): ApiObject => ({
  apiVersion: shelfVersion,
  kind: 'Shelf',
  metadata: { name: 'one', ...metadata },
  ...(spec && { spec }),
})

const value = fc.constantFrom('1', '2')
const some = <T>(values: T[]) => fc.shuffledSubarray(values, { minLength: 1 })
const part = (...names: string[]) =>
  fc
    .record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] })
    .filter((object) => Object.keys(object).length > 0)

const books = some(['a', 'b', 'c', 'd']).chain((names) =>
  fc.tuple(...names.map((name) => part('lent', 'shelf').map((fields) => ({ name, ...fields })))),
)

/** Specs without empty lists and objects: those are owned in ways of their own. */
export const fullSpecs = fc
  .record(
    {
      title: value,
      count: fc.constantFrom(1, 2),
      tags: some(['x', 'y']),
      authors: some(['p', 'q', 'r', 's']),
      books,
      doors: some([1, 2]).map((ports) => ports.map((port) => ({ port, protocol: 'TCP' }))),
      size: part('width', 'height'),
      frame: part('wood', 'color'),
      notes: part('i', 'j'),
      rooms: fc.record({ north: part('x', 'y'), south: part('x', 'y') }),
      extra: fc.oneof(value, fc.record({ deep: part('k', 'l'), list: some([1, 2]) })),
    },
    { requiredKeys: [] },
  )
  .filter((spec) => Object.keys(spec).length > 0)
  .map((spec) => structuredClone(spec))
