import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOf } from './check.ts'
import { fieldError, fieldErrorText } from './field-errors.ts'
import type { Schema } from './schema.ts'

const told = (field: Schema, value: unknown): string[] =>
  problemsOf({ type: 'object', properties: { a: field } }, { a: value }).map((problem) =>
    fieldErrorText(fieldError(problem)),
  )

test('a value of the wrong type is called by its format where one is expected, as the real server does', () => {
  const wrong = (type: string, wanted: string) => [
    `a: Invalid value: "${type}": a in body must be of type ${wanted}: "${type}"`,
  ]
  const date: Schema = { type: 'string', format: 'date' }
  const small: Schema = { type: 'integer', format: 'int32' }
  assert.deepEqual(told(date, 1), wrong('int64', 'date'))
  assert.deepEqual(told(date, 1.5), wrong('float64', 'date'))
  assert.deepEqual(told(date, true), wrong('', 'date'))
  assert.deepEqual(told(small, {}), wrong('', 'int32'))
  assert.deepEqual(told(small, 'x'), wrong('string', 'integer'))
  assert.deepEqual(told(small, []), wrong('array', 'integer'))
  assert.deepEqual(told({ type: 'integer' }, {}), wrong('object', 'integer'))
  assert.deepEqual(told({ type: 'string', format: 'unheard-of' }, 1), wrong('integer', 'string'))
})
