import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { startDemoRegistries } from './demo-set.ts'

test('who begins in a folder that is in use leaves the token of the one that runs', async (t) => {
  const folder = tempDir(t)
  const token = () => readFile(join(folder, 'registry-token'), 'utf8')
  await using _first = await startDemoRegistries(folder)
  const before = await token()
  assert.ok(before.length > 20)
  await using _second = await startDemoRegistries(folder)
  assert.equal(await token(), before)
})
