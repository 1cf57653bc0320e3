import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import * as Type from 'typebox'
import type { Schema } from './schema.ts'
import { structural } from './structural.ts'

const cases: [name: string, declared: TSchema, expected: Schema][] = [
  [
    'a string with limits',
    Type.String({ minLength: 1, maxLength: 9, pattern: '^a' }),
    { type: 'string', minLength: 1, maxLength: 9, pattern: '^a' },
  ],
  [
    'an integer with a format and a default',
    Type.Integer({ format: 'int32', minimum: 0, default: 60 }),
    { type: 'integer', format: 'int32', minimum: 0, default: 60 },
  ],
  [
    'a limit that excludes itself',
    Type.Number({ exclusiveMinimum: 0 }),
    { type: 'number', minimum: 0, exclusiveMinimum: true },
  ],
  ['a boolean', Type.Boolean({ description: 'on or off' }), { type: 'boolean', description: 'on or off' }],
  ['an enum', Type.Enum(['csr', 'token']), { type: 'string', enum: ['csr', 'token'] }],
  [
    'a union of literals',
    Type.Union([Type.Literal('a'), Type.Literal('b')], { default: 'a' }),
    { type: 'string', enum: ['a', 'b'], default: 'a' },
  ],
  ['one literal', Type.Literal(3), { type: 'integer', enum: [3] }],
  [
    'a nullable time',
    Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    { type: 'string', format: 'date-time', nullable: true },
  ],
  [
    'a nullable enum',
    Type.Union([Type.Literal('a'), Type.Literal('b'), Type.Null()]),
    { type: 'string', enum: ['a', 'b'], nullable: true },
  ],
  ['an integer or string', Type.Union([Type.Integer(), Type.String()]), { 'x-kubernetes-int-or-string': true }],
  [
    'a record',
    Type.Record(Type.String(), Type.String({ maxLength: 3 })),
    { type: 'object', additionalProperties: { type: 'string', maxLength: 3 } },
  ],
  ['anything', Type.Unknown(), { 'x-kubernetes-preserve-unknown-fields': true }],
  ['an empty object', Type.Object({}), { type: 'object' }],
  [
    'a list that is a map',
    Type.Array(Type.String(), { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] }),
    {
      type: 'array',
      items: { type: 'string' },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
  ],
  [
    'rules',
    Type.Object({}, { 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] }),
    { type: 'object', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
  ],
  [
    'an object with optional fields',
    Type.Object({ name: Type.String(), note: Type.Optional(Type.String()) }),
    { type: 'object', properties: { name: { type: 'string' }, note: { type: 'string' } }, required: ['name'] },
  ],
  [
    'an object whose fields are all optional',
    Type.Object({ note: Type.Optional(Type.String()) }),
    { type: 'object', properties: { note: { type: 'string' } } },
  ],
  ['notes of our own, which stay ours', Type.String({ 'x-lanyard-secret': true }), { type: 'string' }],
]
for (const [name, declared, expected] of cases)
  test(`structural: ${name}`, () => {
    assert.deepEqual(structural(declared), expected)
  })

test('structural: a map given as additionalProperties', () => {
  const map = Type.Unsafe({ type: 'object', additionalProperties: Type.Integer() } as TSchema)
  assert.deepEqual(structural(map), { type: 'object', additionalProperties: { type: 'integer' } })
})

const impossible: [name: string, declared: TSchema, message: RegExp][] = [
  ['a union of objects', Type.Union([Type.Object({}), Type.String()]), /spec\.field is a union/],
  ['a literal of each type', Type.Union([Type.Literal('a'), Type.Literal(1)]), /several types/],
  ['a tuple', Type.Tuple([Type.String()]), /spec\.field uses additionalItems/],
  ['null alone', Type.Null(), /type null/],
  ['a reference', Type.Ref('Other'), /uses \$ref/],
  ['a closed object', Type.Object({}, { additionalProperties: false }), /additionalProperties that are no schema/],
  ['a misspelt keyword', Type.String({ maxlength: 3 }), /uses maxlength/],
  ['a record with a pattern', Type.Record(Type.Integer(), Type.String()), /keys are not plain strings/],
]
for (const [name, declared, message] of impossible)
  test(`not structural: ${name}`, () => {
    const root = Type.Object({ spec: Type.Object({ field: declared }) })
    assert.throws(() => structural(root), { name: 'TypeError', message })
  })
