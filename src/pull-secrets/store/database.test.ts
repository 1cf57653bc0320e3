import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { sql } from 'kysely'
import { freshDatabase } from '../../../test/support/postgres.ts'
import { teardown } from '../../../test/support/test-scope.ts'
import { isFailure } from '../../core/failure.ts'
import { silentLog } from '../../core/log.ts'
import type { Database, DatabaseOptions } from './database.ts'
import { openDatabase, reading, transact } from './database.ts'
import { readinessChecks } from './readiness.ts'
import { isDuplicate } from './trouble.ts'

const away = (error: unknown) => isFailure(error, 'PULL_DATABASE_AWAY') && Number(error.params['retryAfterSeconds']) > 0

async function aDatabase(t: TestContext, options: Partial<DatabaseOptions> = {}) {
  const url = await freshDatabase(t)
  const open = (): Database => {
    const database = openDatabase({ url, log: silentLog, connections: 3, ...options })
    teardown(t, async () => await database[Symbol.asyncDispose]())
    return database
  }
  const database = open()
  const cut = () =>
    open().data.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`)
  return { ...database, database, cut }
}

const keys = (db: Database['db']) => db.selectFrom('encryption_keys').select('key_id').orderBy('key_id').execute()
const add = (db: Database['db'], key_id: string) =>
  db.insertInto('encryption_keys').values({ key_id, status: 'retired' }).execute()

test('a connection that is cut in a transaction is PULL_DATABASE_AWAY, nothing is written, and the next one works', async (t) => {
  const { db, cut } = await aDatabase(t)
  const cutOff = transact(db, async (tx) => {
    await add(tx, 'a')
    await cut()
    await add(tx, 'b')
  })
  await assert.rejects(cutOff, away)
  await transact(db, (tx) => add(tx, 'c'))
  assert.deepEqual(await keys(db), [{ key_id: 'c' }])
})

test('a connection that is cut while nothing is asked of it does no harm', async (t) => {
  const { db, data, cut } = await aDatabase(t)
  const lost = new Promise((resolve) => data.once('connect', (client) => client.once('end', resolve)))
  await transact(db, async (tx) => {
    await add(tx, 'a')
    await cut()
    // The loss arrives while the transaction does something else.
    await lost
    throw new Error('ours')
  }).catch((error: unknown) => assert.match(String(error), /ours/))
  assert.equal((await data.query('SELECT 1 AS one')).rows[0].one, 1)
})

test('work that only reads is done once more', async (t) => {
  const { db, cut } = await aDatabase(t)
  let runs = 0
  const read = await reading(() =>
    db.transaction().execute(async (tx) => {
      runs += 1
      if (runs === 1) await cut()
      return await keys(tx)
    }),
  )
  assert.deepEqual(read, [])
  assert.equal(runs, 2)
})

test('deadlocks are tried again, three times at most', async (t) => {
  const { db } = await aDatabase(t)
  let runs = 0
  const deadlock = sql`DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40P01'; END $$`
  const passes = await transact(db, async (tx) => {
    runs += 1
    if (runs < 3) await deadlock.execute(tx)
    return 'passed'
  })
  assert.equal(passes, 'passed')
  runs = 0
  const never = transact(db, async (tx) => {
    runs += 1
    await deadlock.execute(tx)
  })
  await assert.rejects(never, away)
  assert.equal(runs, 3)
})

test('what an index refuses is told as such', async (t) => {
  const { db } = await aDatabase(t)
  await add(db, 'a')
  await assert.rejects(
    add(db, 'a'),
    (error) => isDuplicate(error, 'encryption_keys_pkey') && !isDuplicate(error, 'other'),
  )
})

for (const [what, code] of [
  ['a standby', '25006'],
  ['too many clients', '53300'],
  ['a shutdown', '57P01'],
  ['a lost connection behind a pooler', '08006'],
] as const) {
  test(`${what} is PULL_DATABASE_AWAY`, async (t) => {
    const { db, data } = await aDatabase(t)
    const raise = `DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '${code}'; END $$`
    await assert.rejects(sql.raw(raise).execute(db), away)
    await assert.rejects(data.query(raise), away)
  })
}

test('no connection from before a standby was met is used again', async (t) => {
  const { db, data } = await aDatabase(t)
  const pid = async (one: Database['db']) =>
    (await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(one)).rows[0]?.pid
  const before = await Promise.all([1, 2].map(() => db.transaction().execute(pid)))
  await assert.rejects(sql`DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '25006'; END $$`.execute(db), away)
  const after = await Promise.all([1, 2, 3].map(() => db.transaction().execute(pid)))
  assert.deepEqual(
    after.filter((one) => before.includes(one)),
    [],
  )
  assert.ok(data.totalCount <= 3)
})

test('a statement that takes too long is ended', async (t) => {
  const { db } = await aDatabase(t, { statementMs: 50 })
  await assert.rejects(sql`SELECT pg_sleep(60)`.execute(db), away)
  await assert.rejects(
    transact(db, (tx) => sql`SELECT pg_sleep(60)`.execute(tx)),
    away,
  )
})

test('every connection waits for its commits to be on disk', async (t) => {
  const { db, data } = await aDatabase(t)
  const shown = await sql<{ synchronous_commit: string }>`SHOW synchronous_commit`.execute(db)
  assert.equal(shown.rows[0]?.synchronous_commit, 'on')
  assert.equal((await data.query('SHOW statement_timeout')).rows[0].statement_timeout, '30s')
})

test('a server that takes connections and says nothing is PULL_DATABASE_AWAY', { timeout: 60_000 }, async (t) => {
  const sockets: { destroy(): void }[] = []
  const server = createServer((socket) => void sockets.push(socket.on('error', () => {})))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  await using database = openDatabase({ url: `postgresql://u@127.0.0.1:${port}/d`, log: silentLog, connectMs: 100 })
  await assert.rejects(keys(database.db), away)
  await assert.rejects(database.data.query('SELECT 1'), away)
  await assert.rejects(readinessChecks(database, { keyIds: new Set() }).database(), away)
})

test('a primary is ready', async (t) => {
  const { database } = await aDatabase(t)
  await readinessChecks(database, { keyIds: new Set() }).database()
})
