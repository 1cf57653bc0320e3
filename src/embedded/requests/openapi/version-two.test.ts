import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PublishedSchema } from '../../kinds/facts/openapi.ts'
import { schemaInVersionTwo } from './version-two.ts'
import { documentInProtobuf, namedSchema } from './version-two-protobuf.ts'

const shown = (schema: PublishedSchema): unknown => {
  const { properties } = schemaInVersionTwo({ type: 'object', properties: { it: schema } })
  return (properties as Record<string, unknown>)['it']
}

test('a reference is told beside its words', () => {
  const reference = { $ref: '#/components/schemas/Part' }
  assert.deepEqual(shown({ description: 'd', default: {}, allOf: [reference] }), {
    description: 'd',
    $ref: '#/definitions/Part',
  })
  assert.deepEqual(shown({ type: 'array', items: reference }), { type: 'array', items: { $ref: '#/definitions/Part' } })
})

test('what v2 does not know is left out', () => {
  const open = { 'x-kubernetes-preserve-unknown-fields': true }
  assert.deepEqual(shown({ type: 'string', anyOf: [{}], not: {}, default: 'x', maxLength: 1 }), {
    type: 'string',
    maxLength: 1,
  })
  assert.deepEqual(shown({ type: 'object', nullable: true, properties: { a: {} }, description: 'd' }), {
    description: 'd',
  })
  assert.deepEqual(shown({ type: 'object', ...open, properties: { a: {} } }), open)
  assert.deepEqual(shown({ type: 'array', ...open, items: { type: 'string' } }), open)
  assert.deepEqual(shown({ oneOf: [{ type: 'string' }, { type: 'number' }] }), { type: 'string' })
})

test('what may be null is not demanded', () => {
  const properties = { a: { nullable: true }, b: {} }
  assert.deepEqual(shown({ required: ['a', 'b'], properties }), { required: ['b'], properties: { a: {}, b: {} } })
  assert.deepEqual(shown({ required: ['a'], properties }), { properties: { a: {}, b: {} } })
})

test('of a kind that holds anything, only its name is told', () => {
  const kinds = { 'x-kubernetes-group-version-kind': [{ kind: 'Whole' }] }
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: {} }, ...kinds }
  assert.deepEqual(schemaInVersionTwo(schema), { type: 'object', ...kinds })
})

test('protobuf has the numbers of gnostic', () => {
  const frame = { swagger: '2.0', title: 'T', version: 'V' }
  const one = namedSchema('A', { type: 'object', maxLength: 300, minimum: 1, 'x-y': [1] })
  const encoded = documentInProtobuf(frame, [one])
  const schema = [
    ...[0xb2, 0x01, 8, 0x0a, 6, ...Buffer.from('object')],
    ...[0x58, 0xac, 0x02],
    ...[0x49, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f],
    ...[0xfa, 0x01, 12, 0x0a, 3, ...Buffer.from('x-y'), 0x12, 5, 0x12, 3, ...Buffer.from('[1]')],
  ]
  const named = [0x0a, 1, ...Buffer.from('A'), 0x12, schema.length, ...schema]
  assert.deepEqual(
    [...encoded],
    [
      ...[0x0a, 3, ...Buffer.from('2.0')],
      ...[0x12, 6, 0x0a, 1, ...Buffer.from('T'), 0x12, 1, ...Buffer.from('V')],
      ...[0x42, 0],
      ...[0x4a, named.length + 2, 0x0a, named.length, ...named],
    ],
  )
})
