import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from '../../../core/schema/schema.ts'
import { newEnvironment, settingIn, understand } from '../cel.ts'
import { declare } from './declared.ts'
import { estimateCost } from './estimate.ts'
import { RuleCosts } from './rule-costs.ts'

function parsed(rule: string) {
  const environment = newEnvironment()
  for (const name of ['self', 'oldSelf']) environment.registerVariable(name, 'dyn')
  return understand(rule, settingIn(environment)).ast
}

const text = (maxLength?: number): Schema => ({ type: 'string', ...(maxLength !== undefined && { maxLength }) })

function costOf(schema: Schema, rule: string): bigint {
  const declared = declare(schema, false)
  assert.ok(declared)
  return estimateCost(parsed(rule), declared)
}

test('the estimate of an expression is that of the API server, to the last unit', () => {
  const cases: [schema: Schema, rule: string, cost: bigint][] = [
    [{ type: 'integer' }, 'self > 1', 2n],
    [text(10), "self == 'abc'", 2n],
    [text(10), "self.contains('abcdefghijklmnopqrst')", 9n],
    [text(), "self.startsWith('a')", 2n],
    [{ type: 'array', maxItems: 7, items: { type: 'integer' } }, 'self.all(x, x > 0)', 2n + 7n * 5n],
    [{ type: 'array', maxItems: 7, items: { type: 'integer' } }, 'self.exists(x, x > 0)', 2n + 7n * 6n],
    [{ type: 'array', maxItems: 7, items: text(10) }, "self.map(x, x + 'ab').size() > 0", 14n + 7n * 18n],
  ]
  for (const [schema, rule, cost] of cases) assert.equal(costOf(schema, rule), cost, rule)
})

test('two ways that were made longer from the same one share a place, and the later one takes it', () => {
  const map: Schema = { type: 'object', maxProperties: 3, additionalProperties: text(9) }
  const maps: Schema = { type: 'array', maxItems: 5, items: map }
  assert.equal(costOf(maps, 'self.all(y, y.all(k, y.f == k))'), 117n)
  const lists: Schema = { type: 'array', maxItems: 1, items: maps }
  assert.ok(costOf(lists, 'self.all(z, z.all(y, y.all(k, k == y.g)))') < 1000n)
  assert.ok(costOf(lists, 'self.all(z, z.all(y, y.all(k, y.f == k)))') > 2n ** 32n)
})

test('what stands in a list without a limit counts for as many as fit into a request', () => {
  const costs = new RuleCosts({ isSuppressed: false })
  const item: Schema = { type: 'integer' }
  const list: Schema = { type: 'array', items: item }
  const at = costs.root({ type: 'object' }).child({ type: 'object' }).child(list).child(item)
  assert.equal(at.count, 1572864n)
  assert.deepEqual(costs.rule('rule', parsed('self > 1'), at), [])
  assert.deepEqual(costs.rule('rule', parsed('self > 1 && self > 2 && self > 3 && self > 4'), at), [
    {
      reason: 'FieldValueForbidden',
      field: 'rule',
      message:
        'Forbidden: estimated rule cost exceeds budget by factor of 1.258291x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)',
    },
  ])
})

test('of a schema that an update leaves as it was, only the total is held against it', () => {
  const list: Schema = { type: 'array', maxItems: 2000, items: { type: 'integer' } }
  const rule = parsed('self.all(x, self.all(y, x == y))')
  const check = (isSuppressed: boolean, count: number) => {
    const costs = new RuleCosts({ isSuppressed })
    const place = costs.root({ type: 'object' }).child(list)
    const errors = Array.from({ length: count }, (_, index) => costs.rule(`r${index}`, rule, place)).flat()
    return [...errors, ...costs.total('schema')].map(
      ({ field, message }) => `${field} ${/ by factor of \S+/.exec(message)?.[0] ?? ''}`,
    )
  }
  assert.deepEqual(check(true, 1), [])
  assert.deepEqual(check(false, 1), ['r0  by factor of 2.0x'])
  assert.deepEqual(check(true, 6), ['r0 ', 'r1 ', 'r2 ', 'r3 ', 'schema  by factor of 1.200600x'])
})
