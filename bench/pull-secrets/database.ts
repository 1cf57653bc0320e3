import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { startPostgres } from '../../src/pull-secrets/postgres/index.ts'
import { migrate, openDatabase } from '../../src/pull-secrets/store/database.ts'
import { createGuardedDir } from '../../test/support/control-plane/guard.ts'

export interface BenchServer extends AsyncDisposable {
  /** For files of the benchmark, gone when it ends. */
  dir: string
  version: string
  /** A new database with all tables; its URL. */
  fresh(name: string): Promise<string>
}

/** PostgreSQL as the product runs it for who has none: its settings, its disk, a commit when the disk has it. */
export async function startServer(): Promise<BenchServer> {
  const { path, remove } = createGuardedDir()
  const server = await startPostgres({
    dir: join(path, 'postgres'),
    ours: path,
    clock: systemClock,
    log: silentLog,
  })
  writeFileSync(join(path, 'postgres.pid'), String(server.pid))
  const { rows } = await onServer(server.url, 'SHOW server_version')
  return {
    dir: path,
    version: rows[0].server_version,
    async fresh(name) {
      await onServer(server.url, `CREATE DATABASE ${name}`)
      const url = server.url.replace(/\/[a-z]+\?/, `/${name}?`)
      await using database = openDatabase({ url, log: silentLog, connections: 1 })
      await migrate(database.db)
      return url
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      remove()
    },
  }
}

async function onServer(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}
