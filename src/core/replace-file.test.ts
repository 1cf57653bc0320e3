import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDir } from '../../test/support/temp-dir.ts'
import { replaceFile } from './replace-file.ts'

test('the content is replaced whole, for the owner alone, in folders made for it', async (t) => {
  const path = join(tempDir(t), 'deeper', 'pass.json')
  await replaceFile(path, 'one')
  await replaceFile(path, 'two')
  assert.equal(readFileSync(path, 'utf8'), 'two')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(join(path, '..')), ['pass.json'])
})

test('many writers at once leave one of their contents, never a mix', async (t) => {
  const path = join(tempDir(t), 'pass.json')
  const contents = Array.from({ length: 20 }, (_, i) => String(i).repeat(10_000))
  await Promise.all(contents.map((content) => replaceFile(path, content)))
  assert.ok(contents.includes(readFileSync(path, 'utf8')))
  assert.deepEqual(readdirSync(join(path, '..')), ['pass.json'])
})

test('what a killed writer left is removed, what a live one is writing is not', async (t) => {
  const path = join(tempDir(t), 'pass.json')
  const [abandoned, alive] = [`${path}.a.new`, `${path}.b.new`]
  writeFileSync(abandoned, 'half')
  writeFileSync(alive, 'half')
  utimesSync(abandoned, 0, 0)
  await replaceFile(path, 'whole')
  assert.deepEqual(readdirSync(join(path, '..')).sort(), ['pass.json', 'pass.json.b.new'])
})

test('a failed write leaves nothing beside the target', async (t) => {
  const folder = tempDir(t)
  await assert.rejects(replaceFile(folder, 'a folder cannot be replaced'))
  assert.deepEqual(readdirSync(folder), [])
})
