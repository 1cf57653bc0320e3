import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currentOf } from './current.ts'

type Row = Parameters<typeof currentOf>[0][number]

const row = (id: string, more: Partial<Row> = {}): Row => ({
  id,
  registry_id: 'quay',
  state: 'superseded',
  generation: 1,
  created_at: new Date(0),
  ...more,
})
const sources = [{ id: 'quay' }, { id: 'redhat' }]
const idsOf = (...rows: Row[]) => currentOf(rows, sources).map(({ id }) => id)

test('one a registry, in the order of their names', () => {
  assert.deepEqual(idsOf(row('b', { registry_id: 'redhat' }), row('a')), ['a', 'b'])
  assert.deepEqual(idsOf(), [])
  assert.deepEqual(idsOf(row('a', { registry_id: 'not asked for' })), [])
})

test('the active one comes before any that it replaced, in whatever order they are found', () => {
  const active = row('a', { state: 'active', generation: 1 })
  const later = row('b', { generation: 2 })
  assert.deepEqual(idsOf(active, later), ['a'])
  assert.deepEqual(idsOf(later, active), ['a'])
})

test('without an active one it is the newest: by generation, then by age, then by id', () => {
  assert.deepEqual(idsOf(row('a', { generation: 2 }), row('b', { created_at: new Date(9) })), ['a'])
  assert.deepEqual(idsOf(row('b'), row('a', { created_at: new Date(9) })), ['a'])
  assert.deepEqual(idsOf(row('a'), row('b')), ['b'])
})
