/**
 * Definitions and objects of somebody who means harm: whatever rules are let in, running them on an object takes no
 * more than a bounded number of steps. Counted, not timed; the seed is told with what fails.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOf } from '../../../core/schema/check.ts'
import type { Schema } from '../../../core/schema/schema.ts'
import { mostSteps } from '../../cel/cost/meter.ts'
import { checkRules } from '../checks/check-rules.ts'
import { ruleTree } from './rule-tree.ts'
import { runRules } from './run-rules.ts'

const schema: Schema = {
  type: 'object',
  properties: {
    ints: { type: 'array', maxItems: 100_000, items: { type: 'integer' } },
    few: { type: 'array', maxItems: 100, items: { type: 'integer' } },
    texts: { type: 'array', maxItems: 200, items: { type: 'string', maxLength: 2000 } },
    text: { type: 'string', maxLength: 500_000 },
    map: { type: 'object', maxProperties: 500, additionalProperties: { type: 'string', maxLength: 100 } },
    deep: {
      type: 'array',
      maxItems: 50,
      items: { type: 'array', maxItems: 50, items: { type: 'object', properties: { a: { type: 'string' } } } },
    },
  },
}

const object = {
  ints: Array.from({ length: 50_000 }, (_, index) => index),
  few: Array.from({ length: 100 }, (_, index) => index),
  texts: Array.from({ length: 200 }, () => 'ab'.repeat(500)),
  text: 'x'.repeat(400_000),
  map: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, 'v'.repeat(100)])),
  deep: Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => ({ a: 'z'.repeat(50) }))),
}

/** The same numbers for the same seed. */
function randomFrom(seed: number) {
  let state = seed
  const below = (count: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
  return { below, pick: <T>(choices: readonly T[]): T => choices[below(choices.length)] as T }
}

type Random = ReturnType<typeof randomFrom>

/** Expressions that multiply, copy and compare what they can get hold of. */
function condition(random: Random, depth: number): string {
  const inner = () => (depth > 0 ? condition(random, depth - 1) : random.pick(['true', 'self.text.size() > 1']))
  const name = `v${depth}`
  return random.pick<() => string>([
    () => `self.${random.pick(['ints', 'few', 'texts', 'deep'])}.all(${name}, ${inner()})`,
    () => `self.${random.pick(['ints', 'few', 'texts', 'map'])}.exists(${name}, !(${inner()}))`,
    () => `self.map.all(${name}, w${depth}, ${inner()})`,
    () => `self.${random.pick(['ints', 'few'])}.map(${name}, ${name} * 2).size() > 0 && ${inner()}`,
    () => `(self.deep == oldSelf.deep) == (${inner()})`,
    () => `self.${random.pick(['ints', 'few'])}.filter(${name}, ${inner()}).sum() >= 0`,
    () => `${text(random, 3)}.size() > 0 && ${inner()}`,
    () => `${text(random, 2)}.matches('(x|xx|xxx)*y') || ${inner()}`,
    () => `${text(random, 2)}.contains(${text(random, 1)}) || ${inner()}`,
    () => `sets.contains(self.${random.pick(['ints', 'few'])}, self.few) && ${inner()}`,
    () => `(self.ints + self.ints + self.ints).size() > 0 && ${inner()}`,
    () => `self.${random.pick(['few', 'texts'])}.distinct().size() > 0 && ${inner()}`,
  ])()
}

function text(random: Random, depth: number): string {
  if (depth === 0) return random.pick(['self.text', "'abc'", 'self.texts[0]'])
  const inner = () => text(random, depth - 1)
  return random.pick<() => string>([
    () => `(${inner()} + ${inner()})`,
    () => `${inner()}.replace('x', ${inner()})`,
    () => `${inner()}.replace('', 'abcdefghij')`,
    () => `self.texts.join(${inner()})`,
    () => `'%s%s%s'.format([${inner()}, ${inner()}, ${inner()}])`,
    () => `${inner()}.split('').join('xyz')`,
    () => `${inner()}.upperAscii()`,
  ])()
}

test('rules that are let in take a bounded number of steps, whatever they say', () => {
  const counts = { run: 0, refused: 0 }
  for (let seed = 1; seed <= 120; seed++) {
    const rule = condition(randomFrom(seed), 3)
    const ruled: Schema = { ...schema, 'x-kubernetes-validations': [{ rule }] }
    const whole: Schema = { type: 'object', properties: { spec: ruled } }
    const tree = ruleTree(whole)
    if (checkRules(whole, 'schema', { wrong: [], isUnchanged: false }).length > 0 || !tree) {
      counts.refused++
      continue
    }
    const value = { spec: object }
    runRules(tree, { value, old: structuredClone(value), field: '', ratchet: {} })
    const { steps = 0 } = tree.properties.get('spec')?.compiled[0]?.program?.meter ?? {}
    assert.ok(steps <= 2 * mostSteps, `seed ${seed}: ${steps} steps for ${rule}`)
    counts.run++
  }
  assert.ok(counts.run > 10 && counts.refused > 10, JSON.stringify(counts))
})

test('a rule that is nested or long beyond measure is refused in words', () => {
  const much = 20_000
  for (const rule of [
    `${'('.repeat(much)}true${')'.repeat(much)}`,
    `${'['.repeat(much)}${']'.repeat(much)} == []`,
    `${'!'.repeat(much)}true`,
    `${'true ? '.repeat(much)}true${' : true'.repeat(much)}`,
    `1${' + 1'.repeat(much)} > 0`,
    `true${' && true'.repeat(much)}`,
    `self${'.few'.repeat(much)} == 1`,
    `${'self.few.all(x, '.repeat(much)}true${')'.repeat(much)}`,
  ]) {
    const ruled: Schema = { ...schema, 'x-kubernetes-validations': [{ rule, message: 'm' }] }
    const errors = checkRules(ruled, 'schema', { wrong: [], isUnchanged: false })
    assert.equal(errors.length, 1, rule.slice(0, 30))
    assert.match(errors[0]?.message ?? '', /^Invalid value/)
  }
})

test('texts of a million characters are read once, whatever they are read as', () => {
  const much = 1_000_000
  const answers = (schema: Schema, rule: string, value: string) => {
    const ruled: Schema = { type: 'string', ...schema, 'x-kubernetes-validations': [{ rule }] }
    const tree = ruleTree(ruled, false)
    assert.ok(tree)
    const flaws = problemsOf(ruled, value).map(({ keyword }) => keyword)
    return [...flaws, ...runRules(tree, { value, old: undefined, field: '', ratchet: {} }).errors.map(() => 'rule')]
  }
  const digits = '1'.repeat(much)
  assert.deepEqual(answers({}, "duration(self) > duration('1s')", digits), ['rule'])
  assert.deepEqual(answers({ format: 'duration' }, "self > duration('1s')", digits), ['format', 'rule'])
  assert.deepEqual(answers({}, 'isQuantity(self)', `${digits}!`), ['rule'])
  assert.deepEqual(answers({}, 'double(self) > 0.0', `${digits}!`), ['rule'])
  assert.deepEqual(answers({}, 'double(self) > 0.0', `0x${digits}!`), ['rule'])
  assert.deepEqual(answers({}, 'url(self).getQuery().size() == 1', `http://a/?${'a=b&'.repeat(much / 4)}`), [])
})
