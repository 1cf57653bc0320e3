import assert from 'node:assert/strict'
import test from 'node:test'
import type { Schema } from '../../core/schema/schema.ts'
import { Correlated } from './correlated.ts'

const text: Schema = { type: 'string' }
const ports: Schema = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name', 'port'],
  items: { type: 'object', properties: { name: text, port: { type: 'integer' }, note: text } },
}

test('fields correlate by name: those that are declared, there, and were there', () => {
  const schema: Schema = { type: 'object', properties: { a: text, b: text }, additionalProperties: text }
  const both = new Correlated(schema, { a: '1', b: '2', other: '3' }, { a: '0', other: '3' })
  assert.equal(both.key('a')?.old, '0')
  assert.equal(both.key('b'), undefined)
  assert.equal(both.key('other')?.isUnchanged, true)
  assert.equal(new Correlated({ type: 'object' }, { x: 1 }, { x: 1 }).key('x'), undefined)
})

test('items of a list of type map correlate by all of their keys, wherever they stand', () => {
  const old = [
    { name: 'a', port: 1, note: 'old' },
    { name: 'a', port: 2 },
  ]
  const lists = new Correlated(ports, [{ name: 'a', port: 2 }, { name: 'a', port: 1, note: 'new' }, { name: 'b' }], old)
  assert.equal(lists.index(0)?.isUnchanged, true)
  assert.equal(lists.index(1)?.old, old[0])
  assert.equal(lists.index(1)?.isUnchanged, false)
  assert.equal(lists.index(2), undefined)
  assert.equal(lists.isUnchanged, false)
  assert.equal(new Correlated(ports, [...old].reverse(), old).isUnchanged, true)
})

test('items of other lists do not correlate; the list as a whole does', () => {
  const list = new Correlated({ type: 'array', items: text }, ['a', 'b'], ['a', 'b'])
  assert.equal(list.index(0), undefined)
  assert.equal(list.isUnchanged, true)
  assert.equal(new Correlated({ type: 'array', items: text }, ['b', 'a'], ['a', 'b']).isUnchanged, false)
})

test('what is not declared is never unchanged, and null is nothing', () => {
  const schema: Schema = { type: 'object', properties: { a: text } }
  assert.equal(new Correlated(schema, { a: 'x' }, { a: 'x' }).isUnchanged, true)
  assert.equal(new Correlated(schema, { a: 'x', b: 1 }, { a: 'x', b: 1 }).isUnchanged, false)
  assert.equal(new Correlated(text, null, undefined).isUnchanged, true)
  assert.equal(new Correlated(text, 'a', { a: 1 }).isUnchanged, false)
})
