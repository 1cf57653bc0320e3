/**
 * The service's PostgreSQL. Which helper for what:
 * - one or several writes: `transact(db, (tx) => …)`; it may run `work` again, so nothing but statements belongs in it
 * - reads that change nothing: `reading(() => …)`
 * - whether a unique index refused: `isDuplicate(error, index)` of `trouble.ts`
 * Every statement, by whichever way, fails with PULL_DATABASE_AWAY when the database cannot be used: nobody else has to
 * look at SQLSTATEs. After that a commit may have happened or not; what the rows say is right.
 */
import { Kysely } from 'kysely'
import type pg from 'pg'
import { isFailure } from '../../core/failure.ts'
import type { Log } from '../../core/log.ts'
import { dialect } from './dialect.ts'
import { poolOf } from './pools.ts'
import type { Db, Tables, Tx } from './tables.ts'
import { databaseAway, isWorthRepeating } from './trouble.ts'

export { migrate } from './migrate.ts'

export interface DatabaseOptions {
  /** With `pgbouncer=true` in its query: behind PgBouncer in transaction mode. */
  url: string
  log: Log
  /** Connections for data. Default 10. */
  connections?: number
  /** Connections for cluster locks, apart from those for data: whoever waits for a lock must not keep others from working. Default 10. */
  lockConnections?: number
  /** For one statement. Default 30 000. */
  statementMs?: number
  /** For a connection, new or free. Default 10 000. */
  connectMs?: number
}

export interface Database extends AsyncDisposable {
  /** For everything but hot lookups. */
  db: Db
  /** For hot lookups, by named statements. Where names cannot be kept they are left out. */
  data: pg.Pool
  /** Only for `locking/`. */
  locks: pg.Pool
}

/** Connects when first asked something. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, log, connections = 10, lockConnections = 10, statementMs = 30_000, connectMs = 10_000 } = options
  const settings = {
    // What a commit said is what a failover keeps: an intent must be there before its registry is called.
    synchronous_commit: 'on',
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: 60_000,
  }
  // The server's own limit comes first: it leaves the connection in order.
  const answerMs = statementMs + 5_000
  const data = poolOf({ url, log, name: 'data', max: connections, answerMs, connectMs, settings })
  const locks = poolOf({ url, log, name: 'locks', max: lockConnections, answerMs: 10_000, connectMs, settings: {} })
  const db = new Kysely<Tables>({ dialect: dialect({ pool: data, local: settings, answerMs }) })
  return {
    db,
    data,
    locks,
    async [Symbol.asyncDispose]() {
      // Kysely ends its pool only if it was ever used.
      await Promise.all([db.destroy(), locks.end()])
      if (!data.ended) await data.end()
    },
  }
}

const tries = 3

/** One transaction. Done again after a serialization failure or a deadlock, three times at most. */
export async function transact<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let left = tries; ; left -= 1) {
    try {
      return await db.transaction().execute(work)
    } catch (error) {
      if (!isWorthRepeating(error)) throw error
      if (left === 1) throw databaseAway(error)
    }
  }
}

/** Work that changes nothing: when the connection breaks it is done once more, on another. */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isFailure(error, 'PULL_DATABASE_AWAY')) throw error
    return await work()
  }
}
