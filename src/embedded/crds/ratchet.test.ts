import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Problem } from '../../core/schema/check.ts'
import type { Schema } from '../../core/schema/schema.ts'
import { pathText } from '../../core/schema/schema.ts'
import { Correlated } from './correlated.ts'
import { problemsOfChange, problemsOfStatus } from './ratchet.ts'

const low: Schema = { type: 'integer', minimum: 10 }

const schema: Schema = {
  type: 'object',
  properties: {
    kind: { type: 'string', maxLength: 1 },
    one: low,
    other: { type: 'integer' },
    inner: { type: 'object', required: ['missing'], properties: { a: low, b: low } },
    atomic: { type: 'array', items: low },
    keyed: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: { type: 'string' }, a: low, b: low } },
    },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    all: { type: 'object', properties: { a: { type: 'integer' } }, allOf: [{ properties: { a: { minimum: 10 } } }] },
    status: { type: 'object', properties: { a: low, b: low } },
  },
}

const places = (problems: readonly Problem[]): string[] =>
  problems.map(({ path, keyword }) => `${pathText(path)} ${keyword}`).sort()

const afterChange = (old: object, value: object): string[] =>
  places(problemsOfChange(schema, value, new Correlated(schema, value, old)))

test('what was not changed may stay, and what was changed must be valid', () => {
  assert.deepEqual(places(problemsOfChange(schema, { one: 1 }, undefined)), ['one minimum'])
  assert.deepEqual(afterChange({ one: 1, other: 1 }, { one: 1, other: 2 }), [])
  assert.deepEqual(afterChange({ one: 1 }, { one: 2 }), ['one minimum'])
  assert.deepEqual(afterChange({}, { one: 1 }), ['one minimum'])
  assert.deepEqual(afterChange({ inner: { a: 1 } }, { inner: { a: 1 }, other: 1 }), [])
  assert.deepEqual(afterChange({ inner: { a: 1 } }, { inner: { a: 1, b: 1 } }), [
    'inner.b minimum',
    'inner.missing required',
  ])
})

test('items of a list may stay one by one only if they have keys', () => {
  const keyed = [
    { name: 'x', a: 1 },
    { name: 'y', a: 1 },
  ]
  assert.deepEqual(afterChange({ atomic: [1, 2] }, { atomic: [1, 2], other: 1 }), [])
  assert.deepEqual(afterChange({ atomic: [1, 2] }, { atomic: [1, 20] }), ['atomic[0] minimum'])
  assert.deepEqual(afterChange({ keyed }, { keyed: keyed.toReversed() }), [])
  assert.deepEqual(
    afterChange(
      { keyed },
      {
        keyed: [
          { name: 'y', a: 1, b: 2 },
          { name: 'z', a: 1 },
        ],
      },
    ),
    ['keyed[0].b minimum', 'keyed[1].a minimum'],
  )
})

test('a list that had double items may have others; one that had none must not', () => {
  assert.deepEqual(afterChange({ set: ['a', 'a'] }, { set: ['b', 'b'] }), [])
  assert.deepEqual(afterChange({ set: ['a'] }, { set: ['a', 'a'] }), ['set[1] unique'])
})

test('what stands in alternatives, and the type of an object, are held against every change of what is around', () => {
  assert.deepEqual(afterChange({ all: { a: 1 } }, { all: { a: 1 }, other: 1 }), [])
  assert.deepEqual(afterChange({ all: { a: 1 } }, { all: { a: 1, b: 1 } }), ['all allOf', 'all.a minimum'])
  assert.deepEqual(afterChange({ kind: 'long', other: 1 }, { kind: 'long', other: 2 }), ['kind maxLength'])
})

test('a change of the status is held against the status alone', () => {
  const problems = (old: object, value: object) => {
    const { ofStatus, ofLists } = problemsOfStatus(new Correlated(schema, value, old))
    return [...places(ofStatus), ...places(ofLists)]
  }
  assert.deepEqual(problems({ one: 1, status: { a: 1 } }, { one: 1, status: { a: 1, b: 20 } }), [])
  assert.deepEqual(problems({ one: 1 }, { one: 1, status: { a: 1 } }), ['a minimum'])
})
