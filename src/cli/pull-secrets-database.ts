import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { sql } from 'kysely'
import type { Clock } from '../core/clock.ts'
import { sleep } from '../core/clock.ts'
import { isFailure } from '../core/failure.ts'
import type { Log } from '../core/log.ts'
import type { Step } from '../core/step.ts'
import type { KeyRingFile } from '../pull-secrets/keys/index.ts'
import { ensureKeyRing, openKeyRing, recordKeys } from '../pull-secrets/keys/index.ts'
import type { Database } from '../pull-secrets/store/database.ts'
import { migrate, openDatabase } from '../pull-secrets/store/database.ts'
import { migrations } from '../pull-secrets/store/migrations/index.ts'
import { failures } from './failures.ts'
import type { PullSecretsConfig } from './pull-secrets-schema.ts'

export interface StoreOptions {
  /** Of the service, below the data folder. */
  folder: string
  config: PullSecretsConfig
  /** DATABASE_URL. */
  environmentUrl: string | undefined
  show(step: Step): void
}

export interface StoreDeps {
  clock: Clock
  log: Log
  signal: AbortSignal
}

export interface Tables {
  database: Database
  [Symbol.asyncDispose](): Promise<void>
  /** Rejects when a database that is ours ends by itself. */
  over?: Promise<void>
}

type Which = Pick<StoreOptions, 'folder' | 'config' | 'environmentUrl'>

/** The URL of the database that was given; undefined where Lanyard runs one itself. */
const givenUrl = ({ config, environmentUrl }: Which): string | undefined =>
  config.databaseUrl?.reveal() ?? (environmentUrl || undefined)

/** With a database of somebody else's the keys must outlive this machine: they are theirs to keep. */
export function ringPathOf(which: Which): string {
  const { keyRingFile } = which.config
  if (keyRingFile !== undefined) return resolve(keyRingFile)
  if (givenUrl(which) !== undefined) throw failures.PULL_NEEDS_KEY_RING()
  return join(which.folder, 'keys.json')
}

/** The database, started if it is ours. */
export async function openTables(options: StoreOptions, deps: StoreDeps): Promise<Tables> {
  const given = givenUrl(options)
  if (given !== undefined) return connected(given, options, deps)
  options.show({ doing: 'starting a PostgreSQL in the data folder' })
  const { startPostgres } = await import('../pull-secrets/postgres/index.ts')
  const { clock, log } = deps
  const own = await startPostgres({ dir: postgresIn(options.folder), ours: dirname(options.folder), clock, log })
  options.show({ did: 'a PostgreSQL runs in the data folder' })
  const tables = connected(own.url, options, deps)
  return {
    database: tables.database,
    over: own.over,
    async [Symbol.asyncDispose]() {
      // Its pools wait for whoever has a connection; without the server nobody has.
      const closed = tables[Symbol.asyncDispose]().catch(() => {})
      const late = Promise.withResolvers<void>()
      using _ = clock.countdown(politeMs, late.resolve)
      await Promise.race([closed, own.over.catch(() => {}), late.promise])
      await own.stop()
      await closed
    },
  }
}

/** The same for a command beside the service: a database of ours that runs already is only connected to. */
export async function openTablesBeside(options: StoreOptions, deps: StoreDeps): Promise<Tables> {
  if (givenUrl(options) !== undefined) return await openTables(options, deps)
  const [{ runningOn }, { folderAt, role }] = await Promise.all([
    import('../pull-secrets/postgres/running.ts'),
    import('../pull-secrets/postgres/folder.ts'),
  ])
  const running = await runningOn(folderAt(postgresIn(options.folder)).data)
  if (!running?.socketFolder) return await openTables(options, deps)
  return connected(`postgresql://${role}@/${role}?host=${encodeURIComponent(running.socketFolder)}`, options, deps)
}

const postgresIn = (folder: string): string => join(folder, 'postgres')

const politeMs = 2_500

function connected(url: string, { config }: StoreOptions, { log }: StoreDeps): Tables {
  const { databaseConnections: connections, lockConnections } = config
  const database = openDatabase({ url, log, connections, lockConnections })
  return { database, [Symbol.asyncDispose]: async () => await database[Symbol.asyncDispose]() }
}

const connectTries = 10
const connectPauseMs = 3_000

/** A database that starts beside us may take its time. */
async function untilItAnswers({ db }: Database, { show }: StoreOptions, { clock, signal }: StoreDeps): Promise<void> {
  for (let left = connectTries; ; left -= 1) {
    try {
      await sql`SELECT 1`.execute(db)
      return
    } catch (error) {
      if (left === 1 || !isFailure(error, 'PULL_DATABASE_AWAY')) throw error
      show({ doing: `waiting for the database, ${left - 1} more times` })
      await sleep(clock, connectPauseMs, signal)
    }
  }
}

/** Brings the tables up to date, or with `migrate: false` refuses those that are not. */
export async function prepareTables(database: Database, options: StoreOptions, deps: StoreDeps): Promise<void> {
  const { config, show } = options
  const { db } = database
  await untilItAnswers(database, options, deps)
  if (config.migrate) {
    show({ doing: 'bringing the tables up to date' })
    await migrate(db, deps)
    return show({ did: 'the tables are up to date' })
  }
  const { rows } = await sql<{ table: string | null }>`SELECT to_regclass('schema_migrations') AS table`.execute(db)
  if (!rows[0]?.table) throw failures.PULL_NOT_MIGRATED()
  const done = await sql<{ name: string }>`SELECT name FROM schema_migrations`.execute(db)
  const names = new Set(done.rows.map(({ name }) => name))
  if (Object.keys(migrations).some((name) => !names.has(name))) throw failures.PULL_NOT_MIGRATED()
}

/** The keys, made on first use where they are ours to keep. */
export async function openRing(options: StoreOptions, { db }: Database, deps: StoreDeps): Promise<KeyRingFile> {
  const path = ringPathOf(options)
  if (options.config.keyRingFile === undefined) await ensureKeyRing(path)
  else if (!existsSync(path)) throw failures.PULL_NO_KEY_RING({ file: path })
  const file = await openKeyRing(path, { ...deps, onChange: (ring) => recordKeys(db, ring) })
  await recordKeys(db, file.current())
  return file
}
