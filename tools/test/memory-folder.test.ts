import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDir } from '../../test/support/temp-dir.ts'
import { memoryFolder } from './memory-folder.ts'

test('a folder that other users can enter, until it is removed', (t) => {
  const folder = memoryFolder(tempDir(t), 1)
  assert.ok(folder)
  assert.equal(statSync(folder.path).mode & 0o777, 0o711)
  folder.remove()
  assert.ok(!existsSync(folder.path))
})

test('there is none where there is no such place, or too little room', (t) => {
  const dir = tempDir(t)
  assert.equal(memoryFolder(join(dir, 'none')), undefined)
  assert.equal(memoryFolder(dir, Number.MAX_SAFE_INTEGER), undefined)
})
