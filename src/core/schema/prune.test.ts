import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prune } from './prune.ts'
import type { Schema } from './schema.ts'
import { pathText } from './schema.ts'

const schema: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { inner: { type: 'object' } } },
    embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
  },
}

test('a value of declared fields comes back itself', () => {
  const value = { name: 'a', list: [{ a: 'x' }], labels: { any: 'thing' } }
  assert.deepEqual(prune(schema, value), { value, unknown: [] })
  assert.equal(prune(schema, value).value, value)
})

test('unknown fields are dropped at every depth and told by path', () => {
  const value = { name: 'a', extra: 1, list: [{ a: 'x' }, { b: 'y' }] }
  const { value: kept, unknown } = prune<unknown>(schema, value)
  assert.deepEqual(kept, { name: 'a', list: [{ a: 'x' }, {}] })
  assert.deepEqual(unknown.map(pathText), ['extra', 'list[1].b'])
  assert.equal(value.extra, 1)
})

test('what the schema preserves stays, yet known fields inside it are pruned', () => {
  const { value, unknown } = prune<unknown>(schema, { any: { x: [{ y: 1 }] }, raw: { other: {}, inner: { z: 1 } } })
  assert.deepEqual(value, { any: { x: [{ y: 1 }] }, raw: { other: {}, inner: {} } })
  assert.deepEqual(unknown.map(pathText), ['raw.inner.z'])
})

test('an embedded object keeps its kind and metadata', () => {
  const embedded = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, spec: {}, data: {} }
  assert.deepEqual(prune(schema, { embedded }).unknown.map(pathText), ['embedded.data'])
})

test('objects where none are declared lose their fields, in values of any type', () => {
  const open: Schema = { type: 'object', additionalProperties: true }
  assert.deepEqual(prune<unknown>(open, { a: { b: 1 }, c: [{ d: 1 }], e: 'x' }).value, { a: {}, c: [{}], e: 'x' })
  assert.deepEqual(prune<unknown>(schema, { name: { a: 1 } }).value, { name: {} })
})

test('fields named like those of every JavaScript object are unknown all the same', () => {
  const value = JSON.parse('{"constructor": 1, "__proto__": {"x": 1}, "toString": 2}')
  assert.deepEqual(prune<object>(schema, value).unknown.map(pathText).sort(), ['__proto__', 'constructor', 'toString'])
  const raw = JSON.parse('{"raw": {"__proto__": {"x": 1}}, "extra": 1}')
  assert.equal(JSON.stringify(prune(schema, raw).value), '{"raw":{"__proto__":{"x":1}}}')
})
