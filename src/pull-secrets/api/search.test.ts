import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseSearch, SearchMistake } from './search.ts'

const fields = {
  name: { type: 'text', hasPrefix: true },
  count: { type: 'integer' },
  at: { type: 'time' },
  id: { type: 'uuid' },
} as const

test('conditions are read with their values, whatever the spaces and the case of words', () => {
  assert.deepEqual(parseSearch(" name='a''b'  AND count IN (1 , -2) and at>='2026-01-01T00:00:00Z' ", fields), [
    { field: 'name', operator: '=', values: ["a'b"] },
    { field: 'count', operator: 'in', values: [1, -2] },
    { field: 'at', operator: '>=', values: ['2026-01-01T00:00:00Z'] },
  ])
  assert.deepEqual(parseSearch("name <> 'x'", fields), [{ field: 'name', operator: '!=', values: ['x'] }])
  assert.deepEqual(parseSearch('  ', fields), [])
})

test('a prefix is taken word for word', () => {
  assert.deepEqual(parseSearch("name like 'a_b%'", fields), [{ field: 'name', operator: 'like', values: ['a\\_b%'] }])
})

test('whatever is sent is read or is a mistake that names a field, and values stay values', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ maxLength: 60 }), fc.stringMatching(/^(name|count|at|id|and|in|=|'|\(|\)| ){0,30}$/)),
      (text) => {
        try {
          for (const { field } of parseSearch(text, fields)) assert.ok(field in fields)
        } catch (error) {
          assert.ok(error instanceof SearchMistake && ['search', ...Object.keys(fields)].includes(error.field))
        }
      },
    ),
  )
  fc.assert(
    fc.property(
      fc.string().filter((text) => !text.includes('\0')),
      (value) => {
        const [condition] = parseSearch(`name = '${value.replaceAll("'", "''")}'`, fields)
        assert.deepEqual(condition, { field: 'name', operator: '=', values: [value] })
      },
    ),
  )
})
