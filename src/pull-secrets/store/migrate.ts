import { sql } from 'kysely'
import type { Clock } from '../../core/clock.ts'
import { after, sleep, systemClock } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import { fnv1a32 } from '../locking/fnv1a.ts'
import { unhurried } from './dialect.ts'
import { migrations as ours } from './migrations/index.ts'
import type { Db, Tx } from './tables.ts'
import { databaseAway } from './trouble.ts'

export interface MigrateOptions {
  clock?: Clock
  signal?: AbortSignal
  /** For others that migrate. Default five minutes. */
  waitMs?: number
  migrations?: typeof ours
}

/** A database that starts at the same time as we do is waited for. */
const connectTries = 10
const connectMs = 3_000

/** HyperFleet's lock of migrations. */
const lockKey = sql.raw(`${fnv1a32('migrations')}, ${fnv1a32('Migrations')}`)
const lookMs = 500

/**
 * Brings the tables up to date, all in one transaction: cut off, it leaves nothing behind. Several processes at once take
 * turns. Kysely's own migrator holds a session's lock, which PgBouncer in transaction mode would give to a stranger.
 * What a newer release has added is left alone, so that both can run while one replaces the other.
 */
export async function migrate(db: Db, options: MigrateOptions = {}): Promise<void> {
  const { clock = systemClock, signal, waitMs = 300_000, migrations = ours } = options
  const deadline = after(clock.now(), waitMs)
  let tries = connectTries
  for (;;) {
    try {
      if (await attempt(db, migrations)) return
    } catch (error) {
      tries -= 1
      if (!isFailure(error, 'PULL_DATABASE_AWAY') || tries === 0) throw error
      await sleep(clock, connectMs, signal)
      continue
    }
    if (clock.now() >= deadline) throw databaseAway()
    await sleep(clock, lookMs, signal)
  }
}

/** False when somebody else is at it. */
const attempt = (db: Db, migrations: typeof ours): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ got: boolean }>`SELECT pg_try_advisory_xact_lock(${lockKey}) AS got`.execute(tx)
    if (!rows[0]?.got) return false
    await unhurried(tx)
    const done = await namesOf(tx)
    for (const [name, migration] of Object.entries(migrations).sort()) {
      if (done.has(name)) continue
      await migration.up(tx as never)
      await sql`INSERT INTO schema_migrations (name) VALUES (${name})`.execute(tx)
    }
    return true
  })

async function namesOf(tx: Tx): Promise<Set<string>> {
  await sql`CREATE TABLE IF NOT EXISTS schema_migrations (
    name text PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now())`.execute(tx)
  const { rows } = await sql<{ name: string }>`SELECT name FROM schema_migrations`.execute(tx)
  return new Set(rows.map(({ name }) => name))
}
