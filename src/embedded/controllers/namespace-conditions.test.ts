import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Remains } from './namespace-conditions.ts'
import { namespaceConditions } from './namespace-conditions.ts'

const first = new Date('2026-06-01T12:00:00.123Z')
const later = new Date('2026-06-01T13:00:00Z')
const nothing: Remains = { objects: new Map(), finalizers: new Map(), failures: [] }
const some: Remains = {
  objects: new Map([
    ['widgets.test.example', 1],
    ['configmaps.', 2],
  ]),
  finalizers: new Map([['test.example/hold', 3]]),
  failures: [],
}

test('the same list comes back while nothing changes, so that nothing is written', () => {
  const conditions = namespaceConditions([], some, first)
  assert.equal(namespaceConditions(conditions, some, later), conditions)
})

test('what is left is told in order, and its time moves with its status only', () => {
  const before = namespaceConditions([], some, first)
  assert.equal(
    before[3]?.message,
    'Some resources are remaining: configmaps. has 2 resource instances, widgets.test.example has 1 resource instances',
  )
  const fewer = namespaceConditions(before, { ...some, objects: new Map([['configmaps.', 1]]) }, later)
  assert.equal(fewer[3]?.message, 'Some resources are remaining: configmaps. has 1 resource instances')
  assert.equal(fewer[3]?.lastTransitionTime, '2026-06-01T12:00:00Z')
  const none = namespaceConditions(fewer, nothing, later)
  assert.deepEqual([none[3]?.status, none[3]?.lastTransitionTime], ['False', '2026-06-01T13:00:00Z'])
})

test('what could not be deleted is told, and conditions of others stay', () => {
  const other = { type: 'test.example/Other', status: 'True' }
  const conditions = namespaceConditions([other], { ...nothing, failures: ['no'] }, first)
  assert.equal(conditions[0], other)
  const failure = conditions.find(({ type }) => type === 'NamespaceDeletionContentFailure')
  assert.deepEqual(
    [failure?.status, failure?.reason, failure?.message],
    ['True', 'ContentDeletionFailed', 'Failed to delete all resource types, 1 remaining: no'],
  )
})
