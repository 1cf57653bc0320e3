import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishedSchema } from './custom-schema.ts'

const text = { type: 'string' }
const fields = {
  root: { apiVersion: { ...text, description: 'A' }, kind: { ...text, description: 'K' } },
  embedded: { apiVersion: { ...text, description: 'a' }, kind: { ...text, description: 'k' } },
}
const shown = (schema: object): unknown => {
  const { properties } = publishedSchema({ type: 'object', properties: { it: schema } }, fields)
  return (properties as Record<string, unknown>)['it']
}

test('the fields of every object are those of the server', () => {
  const schema = { type: 'object', properties: { kind: { type: 'string', maxLength: 3 }, spec: { type: 'object' } } }
  assert.deepEqual(publishedSchema(schema, fields), {
    type: 'object',
    properties: { ...fields.root, spec: { type: 'object' } },
  })
  assert.deepEqual(publishedSchema({ type: 'object' }, fields), { type: 'object', properties: fields.root })
})

test('what says nothing is left out, what has a meaning stays', () => {
  const nothing = { description: '', nullable: false, uniqueItems: false, required: [], enum: [], default: null }
  assert.deepEqual(shown({ ...text, ...nothing, properties: {} }), text)
  const something = { default: false, example: 0, minimum: 0, additionalProperties: false }
  assert.deepEqual(shown(something), something)
  for (const value of ['', 0, {}, []]) assert.deepEqual(shown({ default: value }), { default: value })
})

test('an integer or a string is told in words that all clients know', () => {
  const both = [{ type: 'integer' }, { type: 'string' }]
  const keyword = { 'x-kubernetes-int-or-string': true }
  assert.deepEqual(shown(keyword), { ...keyword, anyOf: both })
  const other = [{ pattern: 'x' }]
  assert.deepEqual(shown({ ...keyword, anyOf: other, allOf: other }), {
    ...keyword,
    anyOf: other,
    allOf: [{ anyOf: both }, ...other],
  })
  for (const told of [{ anyOf: both }, { allOf: [{ anyOf: both }] }])
    assert.deepEqual(shown({ ...keyword, ...told }), { ...keyword, ...told })
})

test('an object in an object has what every object has, wherever it is', () => {
  const inner = { type: 'object', 'x-kubernetes-embedded-resource': true, required: ['kind'] }
  const expected = { ...inner, properties: fields.embedded, required: ['kind', 'apiVersion'] }
  assert.deepEqual(shown(inner), expected)
  assert.deepEqual(shown({ type: 'array', items: inner }), { type: 'array', items: expected })
  assert.deepEqual(shown({ additionalProperties: inner }), { additionalProperties: expected })
})
