import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FieldSet } from './fields.ts'
import {
  at,
  difference,
  differenceBelow,
  equalSets,
  has,
  intersection,
  isEmpty,
  leaves,
  noFields,
  paths,
  setOf,
  union,
} from './fields.ts'
import { parseFields, printFields } from './fields-v1.ts'

const element = fc.oneof(
  fc.constantFrom('f:a', 'f:b', 'f:c', 'k:{"name":"x"}', 'k:{"name":"y"}', 'v:1', 'v:"x"', 'i:0'),
)
const path = fc.array(element, { minLength: 1, maxLength: 4 })
const sets = fc.array(path, { maxLength: 12 }).map((all) => setOf(...all))

const listed = (set: FieldSet): string[] => [...paths(set)].map((steps) => steps.join(' ')).sort()
const same = (a: FieldSet, b: FieldSet) => assert.deepEqual(listed(a), listed(b))
const holds = (property: fc.IRawProperty<unknown>) => fc.assert(property as fc.IProperty<unknown>, { numRuns: 300 })

test('a set has the paths it was made of and no others', () => {
  const set = setOf(['f:a', 'f:b'], ['f:c'])
  assert.ok(has(set, ['f:a', 'f:b']) && has(set, ['f:c']))
  assert.ok(!has(set, ['f:a']) && !has(set, ['f:a', 'f:b', 'f:c']) && !has(set, ['f:d']))
  assert.deepEqual(listed(at(set, ['f:a'])), ['f:b'])
})

test('what is printed is read as the same set', () => {
  holds(
    fc.property(sets, (set) => {
      const printed = printFields(set)
      assert.ok(equalSets(parseFields(printed), set))
      assert.deepEqual(printFields(parseFields(JSON.parse(JSON.stringify(printed)))), printed)
    }),
  )
})

test('union, difference and intersection are those of the paths', () => {
  holds(
    fc.property(sets, sets, (a, b) => {
      const [ours, theirs] = [listed(a), listed(b)]
      assert.deepEqual(listed(union(a, b)), [...new Set([...ours, ...theirs])].sort())
      assert.deepEqual(
        listed(difference(a, b)),
        ours.filter((one) => !theirs.includes(one)),
      )
      assert.deepEqual(
        listed(intersection(a, b)),
        ours.filter((one) => theirs.includes(one)),
      )
    }),
  )
})

test('a difference with all that is below drops every path that begins with one of the other', () => {
  holds(
    fc.property(sets, sets, (a, b) => {
      const theirs = listed(b)
      const kept = listed(a).filter((one) => !theirs.some((other) => one === other || one.startsWith(`${other} `)))
      assert.deepEqual(listed(differenceBelow(a, b)), kept)
    }),
  )
})

test('the algebra holds: idempotent, commutative, associative, and what is taken away can be given back', () => {
  holds(
    fc.property(sets, sets, sets, (a, b, c) => {
      same(union(a, a), a)
      same(union(a, b), union(b, a))
      same(union(union(a, b), c), union(a, union(b, c)))
      same(intersection(a, b), intersection(b, a))
      same(intersection(a, union(b, c)), union(intersection(a, b), intersection(a, c)))
      same(union(difference(a, b), intersection(a, b)), a)
      assert.ok(isEmpty(difference(a, a)) && isEmpty(difference(noFields, a)))
    }),
  )
})

test('a set that nothing is added to or taken from is the very same', () => {
  holds(
    fc.property(sets, sets, (a, b) => {
      assert.equal(union(a, intersection(a, b)), a)
      assert.equal(difference(a, difference(b, a)), a)
    }),
  )
})

test('leaves are the paths that no other begins with', () => {
  holds(
    fc.property(sets, (set) => {
      const all = listed(set)
      assert.deepEqual(
        listed(leaves(set)),
        all.filter((one) => !all.some((other) => other.startsWith(`${one} `))),
      )
    }),
  )
})
