import assert from 'node:assert/strict'
import test from 'node:test'
import type { Schema } from '../../../core/schema/schema.ts'
import { ruleFieldPath } from './field-path.ts'

const text: Schema = { type: 'string' }
const schema: Schema = {
  type: 'object',
  properties: { a: text, 'b.c': text, nested: { type: 'object', properties: { x: text } } },
}
const map: Schema = { type: 'object', additionalProperties: { type: 'object', properties: { x: text } } }

test('a path leads by dots and quoted names to a field that is declared', () => {
  const found = ['.a', ".nested['x']", "['b.c']", '.nested.x'].map((path) => ruleFieldPath(path, schema))
  assert.deepEqual(found, ['a', 'nested.x', 'b.c', 'nested.x'])
  assert.deepEqual([ruleFieldPath(".any['x']", map), ruleFieldPath("['it\\'s'].x", map)], ['[any].x', "[it's].x"])
})

test('what is no path, or leads nowhere, is none', () => {
  const wrong = ['a', '.', '.zzz', '..a', '.a.', "['a", "['a'", '[0]', '.nested[x]', ".nested['x']y", "['\\q']", ' ']
  for (const path of wrong) assert.equal(ruleFieldPath(path, schema), undefined, path)
})
