import assert from 'node:assert/strict'
import { chmodSync, closeSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { isFailure } from '../../core/failure.ts'
import { openIn, put } from './testing/stores.ts'

const fails = (code: string, words: RegExp) => (error: unknown) => {
  assert.ok(isFailure(error, code), String(error))
  assert.match(error.message, words)
  return true
}

test('a file that is no database is damaged', (t) => {
  const dir = tempDir(t)
  writeFileSync(join(dir, 'state.db'), 'certainly not a database, however long one reads on'.repeat(100))
  assert.throws(() => openIn(dir), fails('EMBEDDED_DATA_DAMAGED', /state\.db is damaged \(file is not a database\)/))
})

test('a database with holes is damaged, and says so before anything is served from it', async (t) => {
  const dir = tempDir(t)
  const store = openIn(dir)
  await Promise.all(Array.from({ length: 200 }, (_, i) => put(store, `c-${i}`, 'x'.repeat(500))))
  await store.close()
  const path = join(dir, 'state.db')
  const file = openSync(path, 'r+')
  const size = statSync(path).size
  writeSync(file, Buffer.alloc(size - 3 * 4_096, 0xa5), 0, size - 3 * 4_096, 3 * 4_096)
  closeSync(file)
  assert.throws(() => openIn(dir), fails('EMBEDDED_DATA_DAMAGED', /page \d+.*lanyard kube fsck --data/))
})

test('a database of another program is left alone', (t) => {
  const dir = tempDir(t)
  const other = new DatabaseSync(join(dir, 'state.db'))
  other.exec('CREATE TABLE precious (x)')
  other.close()
  assert.throws(() => openIn(dir), fails('EMBEDDED_DATA_DAMAGED', /another program/))
})

test('a newer format is refused, naming both', async (t) => {
  const dir = tempDir(t)
  await openIn(dir).close()
  const newer = new DatabaseSync(join(dir, 'state.db'))
  newer.exec('PRAGMA user_version = 7')
  newer.close()
  assert.throws(() => openIn(dir), fails('EMBEDDED_DATA_TOO_NEW', /format 7 and this version reads up to format 2/))
})

test('a database that somebody else has open is refused', async (t) => {
  const dir = tempDir(t)
  const store = openIn(dir)
  t.after(() => store.close())
  assert.throws(() => openIn(dir), fails('EMBEDDED_DATA_UNUSABLE', /database is locked/))
  assert.ok(await put(store, 'a', '1'))
})

test('a file that others could read is closed to them', async (t) => {
  const dir = tempDir(t)
  await openIn(dir).close()
  chmodSync(join(dir, 'state.db'), 0o644)
  await openIn(dir).close()
  assert.equal(statSync(join(dir, 'state.db')).mode & 0o777, 0o600)
})
