import assert from 'node:assert/strict'
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { systemClock } from '../../core/clock.ts'
import { ensureIdentities } from '../identities.ts'
import { rowChecksum } from '../storage/checksum.ts'
import { lockFolder } from '../storage/lock.ts'
import { openIn } from '../storage/testing/stores.ts'
import { fsck } from './fsck.ts'
import { aFolder, careDeps, fill } from './testing/folders.ts'

const found = async (dir: string): Promise<string[]> =>
  (await fsck({ dir }, undefined, careDeps())).findings.map(({ id, where }) => `${id} ${where.replace(`${dir}/`, '')}`)

const sql = (dir: string, text: string): void => {
  const database = new DatabaseSync(join(dir, 'state.db'))
  database.exec(text)
  database.close()
}

const listed = (dir: string): string => readdirSync(dir, { recursive: true }).sort().join()

test('E3e: nothing is wrong with a folder as it is left, and looking changes nothing', async (t) => {
  const dir = await aFolder(t)
  const before = [listed(dir), readFileSync(join(dir, 'state.db')).toString('base64')]
  assert.deepEqual(await found(dir), [])
  assert.deepEqual([listed(dir), readFileSync(join(dir, 'state.db')).toString('base64')], before)
})

test('E3e: what is wrong with the data is told', async (t) => {
  const cases: [string, (dir: string) => void, RegExp][] = [
    ['another application', (dir) => sql(dir, 'PRAGMA application_id = 1'), /^NotOurs state\.db$/],
    ['a newer format', (dir) => sql(dir, 'PRAGMA user_version = 9'), /^TooNew state\.db$/],
    ['a format that never was', (dir) => sql(dir, 'PRAGMA user_version = 0'), /^NotOurs state\.db$/],
    [
      'a row',
      (dir) => sql(dir, "UPDATE change SET text = '{}' WHERE name = 'c-1'"),
      /^RowDamaged configmaps default\/c-1/,
    ],
    ['the history', (dir) => sql(dir, 'UPDATE history SET oldestRevision = 1'), /^RowDamaged state\.db$/],
    [
      'a namespace',
      (dir) => sql(dir, "DELETE FROM change WHERE storage = 'namespaces'"),
      /^NamespaceMissing .*default$/,
    ],
    ['an object under a wrong name', misplace, /^RowDamaged configmaps default\/elsewhere/],
    ['an empty file', (dir) => writeFileSync(join(dir, 'state.db'), ''), /^Unreadable state\.db$/],
  ]
  for (const [name, harm, words] of cases) {
    const dir = await aFolder(t, 10)
    harm(dir)
    const [first, ...more] = await found(dir)
    assert.match(first ?? '', words, name)
    assert.deepEqual(more, [], name)
  }
})

/** With a checksum that fits: somebody wrote it so. */
function misplace(dir: string): void {
  const database = new DatabaseSync(join(dir, 'state.db'))
  const row = database.prepare("SELECT * FROM change WHERE name = 'c-1' ORDER BY revision DESC").get()
  const moved = { ...row, name: 'elsewhere' } as unknown as Parameters<typeof rowChecksum>[0]
  database
    .prepare('UPDATE change SET name = ?, checksum = ? WHERE revision = ?')
    .run('elsewhere', rowChecksum(moved), moved.revision)
  database.close()
}

test('E3e: keys that are missing or do not belong together are told', async (t) => {
  const dir = await aFolder(t, 5)
  const other = join(tempDir(t), 'other')
  await ensureIdentities(other, systemClock, '127.0.0.1')
  const read = (folder: string, file: string) => readFileSync(join(folder, 'pki', file), 'utf8')
  const mine = read(dir, 'client-ca.pem')
  const theirs = read(other, 'client-ca.pem')
  const keyAt = (text: string) => text.indexOf('-----BEGIN PRIVATE KEY-----')
  writeFileSync(join(dir, 'pki/client-ca.pem'), mine.slice(0, keyAt(mine)) + theirs.slice(keyAt(theirs)))
  writeFileSync(join(dir, 'pki/server.pem'), read(other, 'server.pem'))
  rmSync(join(dir, 'pki/service-accounts.pem'))
  assert.deepEqual(await found(dir), [
    'KeyMissing pki/service-accounts.pem',
    'KeyUnfit pki/client-ca.pem',
    'KeyUnfit pki/server.pem',
  ])
  const to = join(tempDir(t), 'saved')
  const { repaired } = await fsck({ dir }, to, careDeps())
  assert.deepEqual(readdirSync(join(to, 'pki')).sort(), ['admin.pem', 'server-ca.pem'])
  assert.equal(repaired?.lost.length, 3)
})

test('E3e: what others may read is told', async (t) => {
  const dir = await aFolder(t, 5)
  chmodSync(join(dir, 'pki/admin.pem'), 0o644)
  chmodSync(join(dir, 'state.db'), 0o640)
  assert.deepEqual(await found(dir), ['OpenToOthers state.db', 'OpenToOthers pki/admin.pem'])
})

test('E3e: a folder that is served, that is none, or that is not empty is refused', async (t) => {
  const dir = await aFolder(t, 5)
  const nowhere = join(tempDir(t), 'nowhere')
  await assert.rejects(fsck({ dir: nowhere }, undefined, careDeps()), { code: 'EMBEDDED_NO_DATA' })
  const other = await aFolder(t, 5)
  await assert.rejects(fsck({ dir }, other, careDeps()), { code: 'EMBEDDED_REPAIR_NOT_EMPTY' })
  using _lock = lockFolder(dir)
  await assert.rejects(fsck({ dir }, undefined, careDeps()), { code: 'EMBEDDED_FSCK_RUNNING' })
})

test('E3g: a database that is gone while its log is there is not begun anew', async (t) => {
  const running = join(tempDir(t), 'kube')
  const store = openIn(running)
  t.after(() => store.close())
  await fill(store, 10)
  const dir = join(tempDir(t), 'kube')
  cpSync(running, dir, { recursive: true })
  rmSync(join(dir, 'state.db'))
  assert.throws(() => openIn(dir), { code: 'EMBEDDED_DATA_DAMAGED', message: /it is missing, and its log is there/ })
  assert.ok((await found(dir)).includes('Unreadable state.db'))
  // Which rows were deleted was in the file: none of those in the log is sure.
  await assert.rejects(fsck({ dir }, join(tempDir(t), 'saved'), careDeps()), { code: 'EMBEDDED_NOTHING_READABLE' })
})
