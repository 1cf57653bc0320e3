import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedMap } from './bounded-map.ts'

test('what was used longest ago goes first', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.get('a')
  map.set('c', 3)
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [1, undefined, 3])
  map.delete('a')
  assert.equal(map.size, 1)
})
