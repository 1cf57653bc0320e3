import assert from 'node:assert/strict'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { writeFormat1 } from '../../storage/testing/format-1.ts'
import { openIn, put } from '../../storage/testing/stores.ts'
import { freePages, pageBytes, readPages } from './pages.ts'
import { salvage } from './salvage.ts'

/** Many objects came and went: their rows are deleted, and the pages they were on are free, with all that is on them. */
async function withFreePages(t: TestContext): Promise<string> {
  const dir = tempDir(t)
  const store = openIn(dir, { historyLimit: 10 })
  for (let i = 0; i < 40; i++) await put(store, `kept-${i}`, `${i}-${'k'.repeat(i * 300)}`)
  for (let i = 0; i < 300; i++) await put(store, `gone-${i}`, 'x'.repeat(1_500))
  for (let i = 0; i < 300; i++) await put(store, `gone-${i}`, undefined)
  for (let i = 0; i < 300; i++) await put(store, 'busy', String(i))
  await store.close()
  return join(dir, 'state.db')
}

const namesIn = (path: string): string[] =>
  salvage(readPages(path))
    .objects.map(({ name }) => name)
    .sort()

const kept = ['busy', ...Array.from({ length: 40 }, (_, i) => `kept-${i}`)].sort()

function harmed(t: TestContext, path: string, harm: (bytes: Buffer) => void): string {
  const copy = join(tempDir(t), 'state.db')
  const bytes = readFileSync(path)
  harm(bytes)
  writeFileSync(copy, bytes)
  return copy
}

test('page by page the same is read as through SQLite, long rows and all', async (t) => {
  const path = await withFreePages(t)
  assert.ok((freePages(readPages(path))?.size ?? 0) > 50, 'there are free pages with old rows')
  assert.deepEqual(namesIn(path), kept)
  assert.deepEqual(salvage(readPages(path)).lost, [])
})

test('what a killed process left in its log is read as well', async (t) => {
  const dir = tempDir(t)
  const store = openIn(dir)
  t.after(() => store.close())
  for (let i = 0; i < 5; i++) await put(store, `c-${i}`, 'x'.repeat(9_000))
  const copy = join(tempDir(t), 'copy')
  cpSync(dir, copy, { recursive: true })
  assert.equal(namesIn(join(copy, 'state.db')).length, 5)
})

test('E3g: what was deleted does not come back where the list of free pages is damaged', async (t) => {
  const path = await withFreePages(t)
  const noList = harmed(t, path, (bytes) => bytes.writeUInt32BE(3, 36))
  assert.equal(freePages(readPages(noList)), undefined)
  assert.deepEqual(namesIn(noList), kept)
  assert.ok(salvage(readPages(noList)).lost.some(({ why }) => why === 'it may have been deleted'))
})

test('E3g: behind an inner page that is damaged, everything is found', async (t) => {
  const path = await withFreePages(t)
  const isInner = (bytes: Buffer, page: number) => bytes[(page - 1) * pageBytes] === 5
  const noRoot = harmed(t, path, (bytes) => {
    assert.ok(isInner(bytes, 2))
    bytes.fill(0xa5, pageBytes, 2 * pageBytes)
  })
  assert.deepEqual(namesIn(noRoot), kept)
})

test('a database of format 1 is read, too', (t) => {
  const dir = tempDir(t)
  writeFormat1(dir)
  assert.deepEqual(namesIn(join(dir, 'state.db')), ['a', 'c'])
})
