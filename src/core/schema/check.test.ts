import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOf } from './check.ts'
import { fieldError, fieldErrorText } from './field-errors.ts'
import type { Schema } from './schema.ts'

const told = (schema: Schema, value: unknown): string[] =>
  problemsOf({ type: 'object', properties: { spec: schema } }, { spec: value }).map((p) =>
    fieldErrorText(fieldError(p)),
  )

const name: Schema = { type: 'string', minLength: 1 }
const wrong: [schema: Schema, value: unknown, message: string][] = [
  [{ type: 'string' }, 3, 'spec: Invalid value: "integer": spec in body must be of type string: "integer"'],
  [{ type: 'integer' }, 1.5, 'spec: Invalid value: "number": spec in body must be of type integer: "number"'],
  [{ type: 'object' }, [], 'spec: Invalid value: "array": spec in body must be of type object: "array"'],
  [{ type: 'string' }, null, 'spec: Invalid value: "null": spec in body must be of type string: "null"'],
  [
    { 'x-kubernetes-int-or-string': true },
    true,
    'spec: Invalid value: "boolean": spec in body must be of type integer,string: "boolean"',
  ],
  [{ type: 'string', enum: ['a', 'b'] }, 'c', 'spec: Unsupported value: "c": supported values: "a", "b"'],
  [{ type: 'string', minLength: 1 }, '', 'spec: Invalid value: "": spec in body should be at least 1 chars long'],
  [{ type: 'string', maxLength: 2 }, 'abc', 'spec: Too long: may not be more than 2 bytes'],
  [{ type: 'string', pattern: '^a$' }, 'b', 'spec: Invalid value: "b": spec in body should match \'^a$\''],
  [
    { type: 'string', format: 'date-time' },
    'noon',
    'spec: Invalid value: "noon": spec in body must be of type date-time: "noon"',
  ],
  [{ type: 'integer', minimum: 1 }, 0, 'spec: Invalid value: 0: spec in body should be greater than or equal to 1'],
  [
    { type: 'number', minimum: 0, exclusiveMinimum: true },
    0,
    'spec: Invalid value: 0: spec in body should be greater than 0',
  ],
  [{ type: 'integer', maximum: 1 }, 2, 'spec: Invalid value: 2: spec in body should be less than or equal to 1'],
  [
    { type: 'number', maximum: 2, exclusiveMaximum: true },
    2,
    'spec: Invalid value: 2: spec in body should be less than 2',
  ],
  [{ type: 'integer', multipleOf: 5 }, 7, 'spec: Invalid value: 7: spec in body should be a multiple of 5'],
  [{ type: 'array', minItems: 1 }, [], 'spec: Invalid value: 0: spec in body should have at least 1 items'],
  [{ type: 'array', maxItems: 1 }, [1, 2], 'spec: Too many: 2: must have at most 1 items'],
  [
    { type: 'array', items: name },
    ['a', ''],
    'spec[1]: Invalid value: "": spec[1] in body should be at least 1 chars long',
  ],
  [{ type: 'array', 'x-kubernetes-list-type': 'set' }, ['a', 'a'], 'spec[1]: Duplicate value: "a"'],
  [{ type: 'object', required: ['name'], properties: { name } }, {}, 'spec.name: Required value'],
  [
    { type: 'object', additionalProperties: name },
    { a: '' },
    'spec.a: Invalid value: "": spec.a in body should be at least 1 chars long',
  ],
  [{ type: 'object', minProperties: 1 }, {}, 'spec: Invalid value: 0: spec in body should have at least 1 properties'],
  [{ type: 'object', maxProperties: 1 }, { a: 1, b: 2 }, 'spec: Too many: 2: must have at most 1 items'],
  [{ type: 'object', additionalProperties: false }, { a: 1 }, 'spec.a: Forbidden: unknown field "spec.a"'],
  [
    { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
    1,
    'spec: Invalid value: "": "spec" must validate at least one schema (anyOf)',
  ],
  [
    { oneOf: [{ minimum: 1 }, { minimum: 2 }] },
    3,
    'spec: Invalid value: "": "spec" must validate one and only one schema (oneOf)',
  ],
  [{ not: { enum: [1] } }, 1, 'spec: Invalid value: "": "spec" must not validate the schema (not)'],
  [
    { allOf: [{ type: 'string' }, { minLength: 2 }] },
    'a',
    'spec: Invalid value: "a": spec in body should be at least 2 chars long',
  ],
]
for (const [schema, value, message] of wrong)
  test(`${JSON.stringify(value)} is told as ${message}`, () => {
    assert.deepEqual(told(schema, value), [message])
  })

const right: [name: string, schema: Schema, value: unknown][] = [
  ['an integer is a number', { type: 'number' }, 3],
  ['null where it is allowed', { type: 'string', nullable: true, minLength: 1 }, null],
  ['length counts characters', { type: 'string', maxLength: 1 }, '🔑'],
  [
    'both of int-or-string',
    { type: 'array', items: { 'x-kubernetes-int-or-string': true, pattern: '^\\d+%$' } },
    [1, '5%'],
  ],
  ['an unknown format', { type: 'string', format: 'k8s-short-name' }, 'any'],
  ['anything', { 'x-kubernetes-preserve-unknown-fields': true }, [{}]],
  ['an unknown field, which is pruned and no error', { type: 'object', properties: {} }, { other: 1 }],
  ['a field that is undefined', { type: 'object', properties: { name } }, { name: undefined }],
  ['a field called constructor', { type: 'object', properties: { name } }, { constructor: 1 }],
]
for (const [what, schema, value] of right)
  test(`fine: ${what}`, () => {
    assert.deepEqual(told(schema, value), [])
  })

const formats: [format: string, good: unknown[], bad: unknown[]][] = [
  [
    'date-time',
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123456+02:00'],
    ['2026-01-01', '2026-13-01T00:00:00Z', '2026-01-01 00:00:00Z'],
  ],
  ['byte', ['', 'aGk=', 'aGlo'], ['aGk', 'a_-=', 'hi!']],
  ['int32', [0, -(2 ** 31), 2 ** 31 - 1], [2 ** 31]],
  ['uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123']],
  ['ipv4', ['10.0.0.1'], ['10.0.0', '::1']],
  ['uri', ['https://a.example/x'], ['a b']],
]
for (const [format, good, bad] of formats)
  test(`the format ${format}`, () => {
    for (const value of good) assert.deepEqual(problemsOf({ format }, value), [], `${value}`)
    for (const value of bad) assert.equal(problemsOf({ format }, value)[0]?.keyword, 'format', `${value}`)
  })

test('items of a list map must differ in their keys, where a key left out counts with its default', () => {
  const schema: Schema = {
    type: 'array',
    items: { type: 'object', properties: { group: { type: 'string', default: '' }, name: { type: 'string' } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['group', 'name'],
  }
  assert.deepEqual(told(schema, [{ name: 'a' }, { name: 'a', group: 'x' }, { name: 'a', group: '' }]), [
    'spec[2]: Duplicate value: {"group":"","name":"a"}',
  ])
})

test('all problems are told, not only the first', () => {
  const schema: Schema = { type: 'object', required: ['a'], properties: { a: name, b: name, c: { type: 'integer' } } }
  assert.equal(told(schema, { b: '', c: 'x' }).length, 3)
})
