import assert from 'node:assert/strict'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { checkpointNames } from '../../core/checkpoint.ts'
import { isFailure } from '../../core/failure.ts'
import { startChild } from './testing/child.ts'
import { writeFormat1 } from './testing/format-1.ts'
import { openIn, put, told } from './testing/stores.ts'

const objects = ['default/a=second@3', 'default/c=with ü and \u2028@5']

async function assertWhole(dir: string): Promise<void> {
  const store = openIn(dir)
  try {
    assert.deepEqual(told(store.list('configmaps').entries), objects)
    assert.deepEqual([store.revision, store.oldestRevision], [5, 1])
    assert.deepEqual(
      store.changesSince(1)?.map(({ type, revision, entry }) => `${type} ${entry.name} ${revision}`),
      ['ADDED b 2', 'MODIFIED a 3', 'DELETED b 4', 'ADDED c 5'],
    )
    assert.equal(store.get('configmaps', 'default', 'a')?.writtenAt, 1_700_000_000_003)
  } finally {
    await store.close()
  }
}

const formatOf = (path: string): unknown => {
  const database = new DatabaseSync(path)
  try {
    return database.prepare('PRAGMA user_version').get()?.['user_version']
  } finally {
    database.close()
  }
}

test('E3f: a folder of format 1 opens, keeps everything, and what it was stays beside it', async (t) => {
  const dir = tempDir(t)
  writeFormat1(dir)
  await assertWhole(dir)
  const path = join(dir, 'state.db')
  assert.equal(formatOf(path), 2)
  assert.equal(formatOf(`${path}.format-1`), 1)
  assert.equal(statSync(`${path}.format-1`).mode & 0o777, 0o600)
  const store = openIn(dir)
  t.after(() => store.close())
  assert.equal((await put(store, 'd', '1')).revision, 6)
})

test('E3f: a migration leaves no room behind that the tables of before took', async (t) => {
  const dir = tempDir(t)
  writeFormat1(dir)
  const path = join(dir, 'state.db')
  const store = openIn(dir)
  assert.equal(existsSync(`${path}-wal`) && statSync(`${path}-wal`).size, 0, 'and is in the main file')
  await store.close()
  const database = new DatabaseSync(path)
  assert.equal(database.prepare('PRAGMA freelist_count').get()?.['freelist_count'], 0)
  database.close()
})

for (const name of checkpointNames.filter((known) => known.startsWith('kube-migration.')))
  test(`E3f: a kill at ${name} leaves the old format or the new one, and nothing lost`, async (t) => {
    const dir = tempDir(t)
    writeFormat1(dir)
    const child = startChild(t, 'open-once.ts', dir, name)
    assert.equal(await child.nextLine(), undefined)
    await child.end()
    assert.equal(formatOf(join(dir, 'state.db')), name === 'kube-migration.committed' ? 2 : 1)
    await assertWhole(dir)
    assert.ok(existsSync(join(dir, 'state.db.format-1')))
  })

test('E3f: a migration that was killed while it wrote its copy begins anew', async (t) => {
  const dir = tempDir(t)
  writeFormat1(dir)
  writeFileSync(join(dir, 'state.db.format-1.new'), 'half of it')
  await assertWhole(dir)
  assert.equal(formatOf(join(dir, 'state.db.format-1')), 1)
})

test('E3f: damage gets no checksum that says it is none', (t) => {
  const dir = tempDir(t)
  writeFormat1(dir)
  const path = join(dir, 'state.db')
  const database = new DatabaseSync(path)
  database.exec('UPDATE change SET text = replace(text, \'"name":"c"\', \'"name":"x"\') WHERE revision = 5')
  database.close()
  assert.throws(
    () => openIn(dir),
    (error) => isFailure(error, 'EMBEDDED_DATA_DAMAGED') && /configmaps default\/c at revision 5/.test(error.message),
  )
  assert.equal(formatOf(path), 1)
})

test('E3f: a database that says one format and has the tables of another is damaged', async (t) => {
  const dir = tempDir(t)
  await openIn(dir).close()
  const database = new DatabaseSync(join(dir, 'state.db'))
  database.exec('PRAGMA user_version = 1')
  database.close()
  assert.throws(() => openIn(dir), { code: 'EMBEDDED_DATA_DAMAGED', message: /the tables of format 1/ })
})
