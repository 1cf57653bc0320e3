import assert from 'node:assert/strict'
import { test } from 'node:test'
import { celEquals } from './equality.ts'
import { asMapList, asSetList, joinLists } from './list-kinds.ts'

const item = (name: string, value: bigint) =>
  new Map<string, unknown>([
    ['name', name],
    ['value', value],
  ])

test('sets are equal whatever their order, and adding gives nothing twice', () => {
  const set = asSetList(['a', 'b'])
  assert.equal(celEquals(set, ['b', 'a']), true)
  assert.equal(celEquals(set, ['a', 'c']), false)
  assert.equal(celEquals(['b', 'a'], set), false)
  assert.deepEqual(joinLists(set, ['c', 'a']), ['a', 'b', 'c'])
  assert.equal(celEquals(joinLists(set, ['c']), ['c', 'b', 'a']), true)
})

test('lists that are maps are equal by key, and adding replaces what has the same key, in its place', () => {
  const list = asMapList([item('a', 1n), item('b', 2n)], ['name'])
  assert.equal(celEquals(list, [item('b', 2n), item('a', 1n)]), true)
  assert.equal(celEquals(list, [item('b', 2n), item('a', 3n)]), false)
  assert.deepEqual(joinLists(list, [item('c', 3n), item('a', 9n)]), [item('a', 9n), item('b', 2n), item('c', 3n)])
})

test('keys are told apart by their types and by all of their fields', () => {
  const list = asMapList([item('1', 1n)], ['name', 'value'])
  assert.equal(celEquals(list, [item('1', 2n)]), false)
  assert.equal(celEquals(asSetList(['1']), [1n]), false)
})
