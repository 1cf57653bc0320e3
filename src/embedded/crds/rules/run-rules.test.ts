import assert from 'node:assert/strict'
import test from 'node:test'
import { fieldErrorText } from '../../../core/schema/field-errors.ts'
import type { Rule, Schema } from '../../../core/schema/schema.ts'
import { Correlated } from '../correlated.ts'
import { ruleTree } from './rule-tree.ts'
import { runRules } from './run-rules.ts'

const rules = (...all: (string | Rule)[]): Schema => ({
  'x-kubernetes-validations': all.map((one) => (typeof one === 'string' ? { rule: one } : one)),
})
const integer: Schema = { type: 'integer' }
const text: Schema = { type: 'string' }

function told(schema: Schema, value: unknown, old?: unknown) {
  const tree = ruleTree(schema, false)
  assert.ok(tree)
  const current = old === undefined ? undefined : new Correlated(schema, value, old)
  const { errors, warnings } = runRules(tree, { value, old, field: 'spec', ratchet: { current } })
  return { errors: errors.map(fieldErrorText), warnings: [...warnings] }
}

test('a schema without rules has no tree', () => {
  assert.equal(ruleTree({ type: 'object', properties: { a: text } }), undefined)
})

test('rules stand at any depth, and are told at their place', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      list: { type: 'array', items: { ...integer, ...rules('self > 0') } },
      map: { type: 'object', additionalProperties: { ...text, ...rules("self != ''") } },
    },
    ...rules('self.list.size() == self.map.size()'),
  }
  assert.deepEqual(told(schema, { list: [1, 0], map: { 'a.b': '' } }).errors, [
    'spec: Invalid value: failed rule: self.list.size() == self.map.size()',
    'spec.list[1]: Invalid value: 0: failed rule: self > 0',
    'spec.map[a.b]: Invalid value: "": failed rule: self != \'\'',
  ])
})

test('a rule about a change waits for one; one with an optional old value does not', () => {
  const schema: Schema = {
    ...integer,
    ...rules('self >= oldSelf', { rule: 'self - oldSelf.orValue(0) <= 5', optionalOldSelf: true }),
  }
  assert.deepEqual(told(schema, 6).errors, ['spec: Invalid value: 6: failed rule: self - oldSelf.orValue(0) <= 5'])
  assert.deepEqual(told(schema, 5, 6).errors, ['spec: Invalid value: 5: failed rule: self >= oldSelf'])
  assert.deepEqual(told(schema, 11, 6).errors, [])
})

test('what did not change may break a rule, unless the rule is about changes', () => {
  const schema: Schema = { ...integer, ...rules('self > 0', 'self > oldSelf') }
  assert.deepEqual(told(schema, 0, 0), {
    errors: ['spec: Invalid value: 0: failed rule: self > oldSelf'],
    warnings: ['spec: Invalid value: 0: failed rule: self > 0'],
  })
})

test('an object older than its schema fails a rule that meets what does not fit', () => {
  const schema: Schema = { type: 'object', properties: { n: integer }, ...rules('self.n > 0') }
  assert.deepEqual(told(schema, { n: 'x' }).errors, [
    'spec: Invalid value: "object": invalid data, expected int, got string evaluating rule: self.n > 0',
  ])
})

test('names are escaped, and words that CEL keeps may stand as they are', () => {
  const properties = { 'a-b': text, 'c.d/e': text, f__g: text, namespace: text }
  const rule =
    "[self.a__dash__b, self.c__dot__d__slash__e, self.f__underscores__g, self.__namespace__, self.namespace].all(x, x == 'v')"
  const schema: Schema = { type: 'object', properties, ...rules(rule) }
  assert.deepEqual(told(schema, { 'a-b': 'v', 'c.d/e': 'v', f__g: 'v', namespace: 'v' }).errors, [])
})
