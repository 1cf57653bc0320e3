import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutNulls } from './nulls.ts'
import type { Schema } from './schema.ts'

const schema: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    note: { type: 'string', nullable: true },
    raw: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    list: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
    map: { type: 'object', additionalProperties: { type: 'string' } },
  },
}

test('null in a declared field is nothing, unless the field allows it', () => {
  assert.deepEqual(withoutNulls<unknown>(schema, { name: null, note: null, map: { a: null, b: 'x' } }), {
    note: null,
    map: { b: 'x' },
  })
})

test('null among items, and in what is only preserved, stays', () => {
  const value = { list: [null], raw: { a: null } }
  assert.equal(withoutNulls(schema, value), value)
  assert.deepEqual(withoutNulls<unknown>(schema, { list: [{ a: null }] }), { list: [{}] })
})
