import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOf } from './check.ts'
import { fieldError, fieldErrorText } from './field-errors.ts'
import type { Path, Schema } from './schema.ts'

const told = (schema: Schema, value: unknown): string[] =>
  problemsOf({ type: 'object', properties: { spec: schema } }, { spec: value }).map((p) =>
    fieldErrorText(fieldError(p)),
  )

const name: Schema = { type: 'string', minLength: 1 }
const wrong: [schema: Schema, value: unknown, message: string][] = [
  [{ type: 'string' }, 3, 'spec: Invalid value: "integer": spec in body must be of type string: "integer"'],
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
  [{ type: 'array', maxItems: 1 }, [1, 2], 'spec: Too many: 2: must have at most 1 item'],
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
  [{ type: 'object', maxProperties: 1 }, { a: 1, b: 2 }, 'spec: Too many: 2: must have at most 1 item'],
  [
    { type: 'object', additionalProperties: false },
    { a: 1 },
    'spec: Invalid value: "a": spec.a in body is a forbidden property',
  ],
  [{ type: 'integer', enum: [1, 2] }, 3, 'spec: Unsupported value: 3: supported values: "1", "2"'],
  [{ type: 'object', enum: [{ a: 1 }] }, { a: 2 }, 'spec: Unsupported value: {"a":2}: supported values: "{\\"a\\":1}"'],
  [{ type: 'string', nullable: true, enum: ['a'] }, null, 'spec: Unsupported value: null: supported values: "a"'],
  [
    { type: 'integer', format: 'int32' },
    2 ** 31,
    '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec',
  ],
  [
    { type: 'number', format: 'float' },
    1e300,
    '<nil>: Invalid value: "": Checked value must be of type number with format float in spec',
  ],
  [
    { oneOf: [{ minimum: 1 }, { minimum: 2 }] },
    3,
    '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  ],
  [{ not: { enum: [1] } }, 1, '<nil>: Invalid value: "": "spec" must not validate the schema (not)'],
]
for (const [schema, value, message] of wrong)
  test(`${JSON.stringify(value)} is told as ${message}`, () => {
    assert.deepEqual(told(schema, value), [message])
  })

const severally: [name: string, schema: Schema, value: unknown, messages: string[]][] = [
  [
    'a fraction where an integer is asked for',
    { type: 'integer', minimum: 2 },
    0.5,
    [
      'spec: Invalid value: "number": spec in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec',
      'spec: Invalid value: 0.5: spec in body should be greater than or equal to 2',
    ],
  ],
  [
    'a wrong type that is none of the values either',
    { type: 'string', enum: ['a'] },
    1,
    [
      'spec: Invalid value: "integer": spec in body must be of type string: "integer"',
      'spec: Unsupported value: 1: supported values: "a"',
    ],
  ],
  [
    'no alternative of anyOf, with what the first lacks',
    { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    {},
    ['<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)', 'spec.a: Required value'],
  ],
  [
    'no alternative of oneOf',
    { type: 'string', oneOf: [{ minLength: 3 }, { pattern: '^x' }] },
    'a',
    [
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
      'spec: Invalid value: "a": spec in body should be at least 3 chars long',
    ],
  ],
  [
    'some of allOf',
    { allOf: [{ required: ['a'] }, { required: ['b'] }, { required: ['c'] }] },
    { c: 1 },
    [
      'spec.a: Required value',
      'spec.b: Required value',
      '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf)',
    ],
  ],
  [
    'items before their number',
    { type: 'array', maxItems: 1, items: name },
    ['a', ''],
    [
      'spec[1]: Invalid value: "": spec[1] in body should be at least 1 chars long',
      'spec: Too many: 2: must have at most 1 item',
    ],
  ],
  [
    'fields before those that are missing',
    { type: 'object', required: ['a'], properties: { b: name } },
    { b: '' },
    ['spec.b: Invalid value: "": spec.b in body should be at least 1 chars long', 'spec.a: Required value'],
  ],
  [
    'an item of a list map that is no object',
    { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
    ['x'],
    [
      'spec[0]: Invalid value: "string": spec[0] in body must be of type object: "string"',
      'spec[0]: Invalid value: "x": must be an object for an array of list-type map',
    ],
  ],
  [
    'a value that a set holds twice or more, once',
    { type: 'array', 'x-kubernetes-list-type': 'set' },
    ['a', 'b', 'a', 'a', 'b'],
    ['spec[2]: Duplicate value: "a"', 'spec[4]: Duplicate value: "b"'],
  ],
]
for (const [what, schema, value, messages] of severally)
  test(`told in this order: ${what}`, () => {
    assert.deepEqual(told(schema, value), messages)
  })

const right: [name: string, schema: Schema, value: unknown][] = [
  ['an integer is a number', { type: 'number' }, 3],
  ['null where it is allowed', { type: 'string', nullable: true, minLength: 1 }, null],
  ['a decimal multiple', { type: 'number', multipleOf: 0.1 }, 0.3],
  ['length counts characters', { type: 'string', maxLength: 1 }, '🔑'],
  [
    'both of int-or-string',
    { type: 'array', items: { 'x-kubernetes-int-or-string': true, pattern: '^\\d+%$' } },
    [1, '5%'],
  ],
  ['an unknown format', { type: 'string', format: 'made-up' }, 'any'],
  ['anything', { 'x-kubernetes-preserve-unknown-fields': true }, [{}]],
  ['an unknown field, which is pruned and no error', { type: 'object', properties: {} }, { other: 1 }],
  ['a field that is undefined', { type: 'object', properties: { name } }, { name: undefined }],
  ['a field called constructor', { type: 'object', properties: { name } }, { constructor: 1 }],
]
for (const [what, schema, value] of right)
  test(`fine: ${what}`, () => {
    assert.deepEqual(told(schema, value), [])
  })

const formats: [format: string, good: string[], bad: string[]][] = [
  [
    'date-time',
    ['2026-01-01T00:00:00Z', '2026-01-01t00:00:00z', '2026-01-01T00:00:00.123456+02:00'],
    ['2026-01-01', '2026-13-01T00:00:00Z', '2026-02-30T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01 00:00:00Z', ''],
  ],
  ['date', ['2026-01-01', '0001-01-01'], ['2026-02-30', 'x']],
  ['byte', ['aGk=', 'aGlo'], ['', 'aGk', 'a_-=', 'hi!']],
  ['uuid', ['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000'], ['123']],
  ['uuid3', ['123e4567-e89b-32d3-a456-426614174000'], ['123e4567-e89b-12d3-a456-426614174000']],
  ['uuid4', ['123e4567-e89b-42d3-a456-426614174000'], ['123e4567-e89b-42d3-c456-426614174000']],
  ['uuid5', ['123e4567-e89b-52d3-a456-426614174000'], ['x']],
  ['ipv4', ['10.0.0.1', '010.0.0.1'], ['10.0.0', '::1']],
  ['ipv6', ['::1', '::ffff:1.2.3.4'], ['10.0.0.1', 'x', 'fe80::1%eth0']],
  ['cidr', ['10.0.0.0/8', '::/0'], ['10.0.0.0', '10.0.0.0/33']],
  ['mac', ['00:11:22:33:44:55', '0011.2233.4455', '00-11-22-33-44-55'], ['x']],
  ['hostname', ['a.example', 'localhost'], ['-a', 'a_b', 'a..b', 'A.b', '', 'a-.b', '1.2.3.4', 'a.example.']],
  ['email', ['a@b.c', 'Bob <a@b.c>', 'a@b'], ['a', 'a@']],
  [
    'uri',
    ['https://a.example/x', '/x', 'urn:a:b', '//a/b', '*'],
    ['a b', 'x', 'http://a b', '#a', 'http://[::1', '?x=1'],
  ],
  [
    'duration',
    ['1s', '1 day', '1h30m', '1.5h', '-1s', '2 weeks', '1d', '100ms', '1us', '3 hours 5 minutes'],
    ['x', '5', ''],
  ],
  ['bsonobjectid', ['507f1f77bcf86cd799439011'], ['x']],
  ['isbn', ['978-3-16-148410-0', '0-306-40615-2'], ['x']],
  ['creditcard', ['4111111111111111'], ['4111111111111112', 'x']],
  ['ssn', ['123-45-6789', '123 45 6789'], ['x', '123456789']],
  ['hexcolor', ['#fff', 'fff'], ['#12345', 'red']],
  ['rgbcolor', ['rgb(1,2,3)', 'rgb(1, 2, 3)'], ['rgb(256,0,0)', 'x']],
  ['k8s-short-name', ['a-b'], ['A', 'a.b']],
  ['k8s-long-name', ['a.b'], ['A_']],
]
for (const [format, good, bad] of formats)
  test(`the format ${format}`, () => {
    for (const value of good) assert.deepEqual(problemsOf({ type: 'string', format }, value), [], value)
    for (const value of bad)
      assert.equal(problemsOf({ type: 'string', format }, value)[0]?.keyword, 'format', JSON.stringify(value))
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

test('F14d: a value that would take patterns too many steps is refused, in an alternative too, and where another would be let in', () => {
  const slow = { type: 'string', pattern: '(a?){1000}b' } as const
  const long = 'a'.repeat(1_000_000)
  for (const [schema, value, path] of [
    [slow, long, []],
    [{ anyOf: [slow, { type: 'string' }] }, long, []],
    [{ not: slow }, long, []],
    [{ type: 'array', items: slow }, Array.from({ length: 2_000 }, () => 'a'.repeat(1_000)), [20]],
  ] as [Schema, unknown, Path][]) {
    const problem = problemsOf(schema, value).at(-1)
    assert.equal(problem?.keyword, 'steps')
    if (path.length > 0) assert.equal(problem?.path.length, path.length)
  }
  assert.deepEqual(problemsOf({ type: 'string', pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$' }, long), [])
})
