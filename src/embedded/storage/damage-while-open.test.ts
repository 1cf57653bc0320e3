import assert from 'node:assert/strict'
import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { StorageFailure } from './store.ts'
import { openIn, put } from './testing/stores.ts'

test('E3g: a file that is damaged under a store: reads go on, and writes are taken whole or refused with the way out', async (t) => {
  const dir = tempDir(t)
  // Small steps of the history, so that old rows are deleted: for that their pages have to be read again.
  const store = openIn(dir, { historyLimit: 20 })
  t.after(() => store.close().catch(() => {}))
  for (let i = 0; i < 900; i++) await put(store, `c-${i % 450}`, 'x'.repeat(9_000))
  const path = join(dir, 'state.db')
  const file = openSync(path, 'r+')
  const size = statSync(path).size
  assert.ok(size > 20 * 4_096, 'some of it is in the main file')
  writeSync(file, Buffer.alloc(size - 4_096, 0xa5), 0, size - 4_096, 4_096)
  closeSync(file)
  let refused = 0
  for (let i = 0; i < 900; i++) {
    const before = store.get('configmaps', 'default', `c-${i % 450}`)
    try {
      await put(store, `c-${i % 450}`, `${i}`)
    } catch (error) {
      assert.ok(error instanceof StorageFailure, String(error))
      assert.match(error.message, /damaged; `lanyard kube backup` saves what is in memory|did not take the write/)
      assert.equal(store.get('configmaps', 'default', `c-${i % 450}`), before)
      refused++
    }
  }
  assert.ok(refused > 0, 'the damage was met')
  assert.equal(store.count('configmaps'), 450)
})
