import assert from 'node:assert/strict'
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { openIn, put, told } from './testing/stores.ts'
import { readLog } from './write-ahead-log.ts'

/** What is on disk while a store is open: as a killed process leaves it. */
async function killedWithLog(t: TestContext, writes: number): Promise<string> {
  const dir = tempDir(t)
  const store = openIn(dir)
  t.after(() => store.close())
  for (let count = 1; count <= writes; count++) await put(store, `c-${count}`, 'x'.repeat(2_000))
  const copy = join(tempDir(t), 'copy')
  cpSync(dir, copy, { recursive: true })
  return copy
}

const damaged = (words: RegExp) => ({ code: 'EMBEDDED_DATA_DAMAGED', message: words })
const frameBytes = 24 + 4_096

test('what is in the log of a process that was killed is read as SQLite reads it', async (t) => {
  const dir = await killedWithLog(t, 12)
  const log = readFileSync(join(dir, 'state.db-wal'))
  const { pages, damage } = readLog(log, 4_096)
  assert.equal(damage, undefined)
  assert.ok(pages.size > 3)
  const store = openIn(dir)
  assert.equal(store.count('configmaps'), 12)
  await store.close()
  const file = readFileSync(join(dir, 'state.db'))
  // SQLite counts checkpoints on the first page.
  for (const [number, page] of pages)
    if (number > 1) assert.ok(page.equals(file.subarray((number - 1) * 4_096, number * 4_096)), `page ${number}`)
})

test('E3g: a byte in the middle of the log loses nothing without a word', async (t) => {
  const dir = await killedWithLog(t, 12)
  const path = join(dir, 'state.db-wal')
  const log = readFileSync(path)
  const at = 32 + 5 * frameBytes + 1_000
  log[at] = (log[at] ?? 0) ^ 0x10
  writeFileSync(path, log)
  assert.throws(() => openIn(dir), damaged(/its log is damaged, and \d+ transactions after that are lost/))
  assert.ok(readFileSync(path).equals(log), 'and it is left as it is')
})

test('E3g: a log that is missing is missed', async (t) => {
  const dir = await killedWithLog(t, 3)
  rmSync(join(dir, 'state.db-wal'))
  assert.throws(() => openIn(dir), damaged(/state\.db-wal, is missing/))
})

test('E3g: a log that is cut off gives every transaction that is whole', async (t) => {
  const dir = await killedWithLog(t, 12)
  const path = join(dir, 'state.db-wal')
  truncateSync(path, readFileSync(path).length - 100)
  const store = openIn(dir)
  assert.equal(told(store.list('configmaps').entries).length, 11)
  await store.close()
})

test('E3g: an empty file beside a log, or keys, is not taken for a new one', async (t) => {
  const dir = await killedWithLog(t, 3)
  truncateSync(join(dir, 'state.db'), 0)
  assert.throws(() => openIn(dir), damaged(/it is empty, and was not/))
  rmSync(join(dir, 'state.db-wal'))
  rmSync(join(dir, 'state.db-open'))
  const store = openIn(dir)
  await store.close()
})

test('a log of nothing, or of nonsense too short to matter, is none', () => {
  assert.deepEqual(readLog(Buffer.alloc(0), 4_096).pages.size, 0)
  assert.equal(readLog(Buffer.alloc(20, 7), 4_096).damage, undefined)
  assert.match(readLog(Buffer.alloc(3 * frameBytes, 7), 4_096).damage ?? '', /nothing that makes sense/)
})
