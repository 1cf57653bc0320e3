import assert from 'node:assert/strict'
import { test } from 'node:test'
import { annotations } from '../../../fleet/names.ts'
import { nextToGo, priorityOf, remaining, works } from './garbage.ts'

const anItem = (name: string, priority?: string, more: { deletionTimestamp?: string; finalizers?: string[] } = {}) => ({
  metadata: {
    name,
    ...more,
    ...(priority !== undefined && { annotations: { [annotations.cleanupPriority]: priority } }),
  },
})

const priorities: [string | undefined, number][] = [
  [undefined, 0],
  ['', 0],
  ['0', 0],
  ['7', 7],
  ['100', 100],
  ['101', 0],
  ['-1', 0],
  ['1.5', 0],
  [' 5', 0],
  ['1e2', 0],
  ['soon', 0],
]
for (const [text, priority] of priorities)
  test(`cleanup priority ${text} counts as ${priority}`, () => assert.equal(priorityOf(anItem('x', text)), priority))

test('only the lowest priority goes at a time', () => {
  const items = [anItem('a', '50'), anItem('b', '7'), anItem('c', '7'), anItem('d', '100')]
  assert.deepEqual(
    nextToGo(items).map(({ metadata }) => metadata.name),
    ['b', 'c'],
  )
})

test('what is left is counted, and what of it only a finalizer holds', () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z'
  const items = [
    anItem('a'),
    anItem('b', '1', { deletionTimestamp, finalizers: ['x'] }),
    anItem('c', '1', { deletionTimestamp }),
    anItem('d', '1', { finalizers: ['x'] }),
  ]
  const resource = 'manifestworks.work.open-cluster-management.io'
  assert.deepEqual(remaining(works, items), { resource, count: 4, held: 1 })
})
