import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as Type from 'typebox'
import { bodyChecker, textChecker } from './input.ts'

const body = bodyChecker(
  Type.Object({
    name: Type.String({ minLength: 1, maxLength: 3, pattern: '^[a-z]*$' }),
    kind: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
    list: Type.Optional(Type.Array(Type.Object({ n: Type.Integer({ minimum: 1 }) }), { maxItems: 2 })),
  }),
)

const wrong: [sent: unknown, field: string, constraint: string][] = [
  [{}, 'name', 'required'],
  [{ name: 1 }, 'name', 'type'],
  [{ name: '' }, 'name', 'min_length'],
  [{ name: 'abcd' }, 'name', 'max_length'],
  [{ name: 'A' }, 'name', 'pattern'],
  [{ name: 'a', kind: 'c' }, 'kind', 'enum'],
  [{ name: 'a', nmae: 'b' }, 'nmae', 'unknown'],
  [{ name: 'a', list: [{ n: 0 }] }, 'list[0].n', 'min'],
  [{ name: 'a', list: [{ n: 1, m: 1 }] }, 'list[0].m', 'unknown'],
  [{ name: 'a', list: [{ n: 1 }, { n: 1 }, { n: 1 }] }, 'list', 'max'],
  ['text', 'body', 'type'],
  [null, 'body', 'type'],
]
for (const [sent, field, constraint] of wrong)
  test(`${JSON.stringify(sent)} breaks ${constraint} of ${field}`, () => {
    const { errors } = body(sent)
    assert.deepEqual(
      errors.map((error) => [error.field, error.constraint]),
      [[field, constraint]],
    )
  })

test('a value that is long is not sent back', () => {
  assert.equal('value' in (body({ name: 'x'.repeat(1_000) }).errors[0] ?? {}), false)
  assert.equal(body({ name: 'ABC' }).errors[0]?.value, 'ABC')
})

test('parameters are read from text, and filled in', () => {
  const query = textChecker(
    Type.Object({ page: Type.Integer({ default: 1, minimum: 1 }), all: Type.Boolean({ default: false }) }),
  )
  assert.deepEqual(query({}).value, { page: 1, all: false })
  assert.deepEqual(query({ page: '7', all: 'true' }).value, { page: 7, all: true })
  for (const sent of [
    { page: '7x' },
    { page: '' },
    { page: '1e3' },
    { page: ['1', '2'] },
    { all: 'yes' },
    { other: '1' },
  ])
    assert.equal(query(sent).errors.length, 1, JSON.stringify(sent))
})
