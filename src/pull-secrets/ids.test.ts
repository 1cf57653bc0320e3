import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uuidV7 } from './ids.ts'

test('an id is a UUID of version 7 and tells when it was made', () => {
  const id = uuidV7(new Date('2026-01-01T00:00:00.123Z'))
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(Number.parseInt(id.slice(0, 13).replace('-', ''), 16), Date.UTC(2026, 0, 1, 0, 0, 0, 123))
})

test('later ids sort after earlier ones, and no two are the same', () => {
  const ids = [1, 2, 3].map((n) => uuidV7(new Date(n * 1_000)))
  assert.deepEqual([...ids].sort(), ids)
  assert.notEqual(uuidV7(new Date(0)), uuidV7(new Date(0)))
})
