import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Version } from './own-writes.ts'
import { OwnWrites } from './own-writes.ts'

test('what a watch tells of a Secret during a write of our own is put off until its version is known', async () => {
  const told: [string, Version][] = []
  const ownWrites = new OwnWrites((key, version) => told.push([key, version]))
  assert.equal(ownWrites.defers('hub/offline', '7'), false)
  const gate = Promise.withResolvers<void>()
  const writing = ownWrites.during('hub/offline', () => gate.promise)
  const another = ownWrites.during('hub/offline', async () => {})
  assert.equal(ownWrites.defers('hub/other', '7'), false)
  assert.equal(ownWrites.defers('hub/offline', '8'), true)
  assert.equal(ownWrites.defers('hub/offline', '9'), true)
  await another
  assert.deepEqual(told, [])
  gate.resolve()
  await writing
  assert.deepEqual(told, [['hub/offline', '9']])
  assert.equal(ownWrites.defers('hub/offline', '10'), false)
})
