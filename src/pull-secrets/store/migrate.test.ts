import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { freshDatabase } from '../../../test/support/postgres.ts'
import { teardown } from '../../../test/support/test-scope.ts'
import { isFailure } from '../../core/failure.ts'
import { silentLog } from '../../core/log.ts'
import { fnv1a32 } from '../locking/fnv1a.ts'
import { migrate, openDatabase } from './database.ts'

async function aDatabase(t: Parameters<typeof freshDatabase>[0]) {
  const database = openDatabase({ url: await freshDatabase(t), log: silentLog, connections: 5 })
  teardown(t, async () => await database[Symbol.asyncDispose]())
  return database.db
}

const statement = (text: string) => ({ up: async (db: never) => void (await sql.raw(text).execute(db)) })

test('several at once take turns, each migration runs once, and again is nothing', async (t) => {
  const db = await aDatabase(t)
  const migrations = { '9001': statement('CREATE TABLE a (n int)'), '9002': statement('INSERT INTO a VALUES (1)') }
  await Promise.all([1, 2, 3, 4].map(() => migrate(db, { migrations })))
  await migrate(db, { migrations })
  const { rows } = await sql`SELECT n FROM a`.execute(db)
  assert.deepEqual(rows, [{ n: 1 }])
})

test('one that fails leaves nothing behind, and what a newer release added is left alone', async (t) => {
  const db = await aDatabase(t)
  const migrations = { '9001': statement('CREATE TABLE a (n int)'), '9002': statement('SELECT nonsense') }
  await assert.rejects(migrate(db, { migrations }))
  const { rows } = await sql<{ name: string }>`SELECT to_regclass('a')::text AS name`.execute(db)
  assert.equal(rows[0]?.name, null)
  await migrate(db, { migrations: { '9001': statement('CREATE TABLE a (n int)') } })
  await migrate(db, { migrations: {} })
})

test('whoever cannot have its turn in time gives up', async (t) => {
  const db = await aDatabase(t)
  const clock = new FakeClock()
  await db.transaction().execute(async (tx) => {
    const key = sql.raw(`${fnv1a32('migrations')}, ${fnv1a32('Migrations')}`)
    await sql`SELECT pg_advisory_xact_lock(${key})`.execute(tx)
    let result: unknown
    const waiting = migrate(db, { clock, waitMs: 1_000 }).catch((error: unknown) => {
      result = error
    })
    while (!result) {
      await clock.advance(500)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await waiting
    assert.ok(isFailure(result, 'PULL_DATABASE_AWAY'))
  })
})

test('a database that is not there yet is waited for, ten times', async () => {
  const clock = new FakeClock()
  await using database = openDatabase({ url: 'postgresql://nobody@127.0.0.1:1/none', log: silentLog })
  let result: unknown
  const waiting = migrate(database.db, { clock }).catch((error: unknown) => {
    result = error
  })
  const began = clock.now().getTime()
  while (!result) {
    await clock.advanceToNext()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await waiting
  assert.ok(isFailure(result, 'PULL_DATABASE_AWAY'))
  assert.equal(clock.now().getTime() - began, 27_000)
})
