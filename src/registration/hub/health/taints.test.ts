import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditions, taints } from '../../../fleet/names.ts'
import { taintsToWrite, withHealthTaints } from './taints.ts'

const unreachable = { key: taints.unreachable, effect: 'NoSelect' as const }
const unavailable = { key: taints.unavailable, effect: 'NoSelect' as const }
const user = { key: 'gpu', value: 'none', effect: 'NoSelect' as const, timeAdded: '2024-01-01T00:00:00Z' }
const stamped = { ...unreachable, timeAdded: '2026-01-01T00:00:00Z' }

test('a cluster that is available has neither', () => {
  assert.deepEqual(withHealthTaints([unreachable, user, unavailable], 'True'), [user])
})

test('one that is unavailable has one, one that is not heard the other, as has one that never spoke', () => {
  assert.deepEqual(withHealthTaints([unreachable, user], 'False'), [user, unavailable])
  assert.deepEqual(withHealthTaints([user, unavailable], 'Unknown'), [user, unreachable])
  assert.deepEqual(withHealthTaints(undefined, undefined), [unreachable])
})

test('what is so already comes back as it is', () => {
  for (const [list, status] of [
    [[user], 'True'],
    [undefined, 'True'],
    [[stamped, user], 'Unknown'],
    [[unavailable], 'False'],
  ] as const)
    assert.equal(withHealthTaints(list as never, status), list)
})

test('taints of the same key with a value or another effect are left alone', () => {
  const others = [
    { key: taints.unreachable, value: 'mine', effect: 'NoSelect' as const },
    { key: taints.unavailable, effect: 'PreferNoSelect' as const },
  ]
  assert.equal(withHealthTaints(others, 'True'), others)
  assert.deepEqual(withHealthTaints(others, 'Unknown'), [...others, unreachable])
})

test('a write replaces the whole list, or takes it away; there is none where nothing changes', () => {
  const cluster = (given: object[], status: string) => ({
    metadata: { name: 'west', uid: 'u', resourceVersion: '1' },
    spec: { taints: given },
    status: { conditions: [{ type: conditions.available, status }] },
  })
  const written = (given: object[], status: string) => taintsToWrite(cluster(given, status) as never)
  assert.deepEqual(written([user], 'Unknown'), { taints: [user, unreachable] })
  assert.deepEqual(written([unreachable], 'True'), { taints: null })
  assert.equal(written([stamped], 'Unknown'), undefined)
})
