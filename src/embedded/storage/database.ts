import { closeSync, fdatasync, openSync } from 'node:fs'
import type { StatementSync } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { failures } from '../failures.ts'
import { privateFile } from './private-files.ts'
import { openingFailure } from './sqlite-errors.ts'
import type { Change } from './store.ts'

/** "LNYD": tells a database of ours from any other. */
const applicationId = 0x4c4e5944
const format = 1

const schema = `
  CREATE TABLE change (
    revision INTEGER PRIMARY KEY,
    storage TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    deleted INTEGER NOT NULL,
    writtenAt INTEGER NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE history (oldestRevision INTEGER NOT NULL) STRICT;
  INSERT INTO history VALUES (0);
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${format};
`

export interface Row {
  revision: number
  storage: string
  namespace: string
  name: string
  deleted: number
  writtenAt: number
  text: string
}

export interface DatabaseOptions {
  path: string
  /** Of 4 KiB. */
  maxPages?: number | undefined
  /** Brings what was written to the file on disk. Default: fdatasync. */
  sync?: ((file: number) => Promise<void>) | undefined
}

/** What one transaction does besides adding changes. */
export interface Sweep {
  oldestRevision: number
  /** Rows that nothing needs any more, all of them up to `oldestRevision`. */
  revisions: readonly number[]
}

/**
 * The log of changes in a file. SQLite commits without waiting for the disk (`synchronous = NORMAL`) and its log is
 * synced here, off the main thread, before a write counts as done: `FULL` promises the same, but stops every reader
 * and watcher of this process for the milliseconds that a disk takes.
 */
export class Database {
  readonly #database: DatabaseSync
  readonly #log: number
  readonly #sync: (file: number) => Promise<void>
  readonly #insert: StatementSync
  readonly #delete: StatementSync
  readonly #setOldest: StatementSync
  /** Rows from this revision on were committed but may not be on disk. */
  #doubtfulFrom: number | undefined

  constructor(database: DatabaseSync, log: number, sync: (file: number) => Promise<void>) {
    this.#database = database
    this.#log = log
    this.#sync = sync
    this.#insert = database.prepare('INSERT INTO change VALUES (?, ?, ?, ?, ?, ?, ?)')
    this.#delete = database.prepare('DELETE FROM change WHERE revision = ?')
    this.#setOldest = database.prepare('UPDATE history SET oldestRevision = ?')
  }

  get oldestRevision(): number {
    return Number(this.#database.prepare('SELECT oldestRevision FROM history').get()?.['oldestRevision'])
  }

  /** Oldest first. */
  rows(): Iterable<Row> {
    return this.#database
      .prepare('SELECT * FROM change ORDER BY revision')
      .iterate() as Iterable<unknown> as Iterable<Row>
  }

  /** All of it or nothing, and on disk when it resolves. */
  async append(changes: readonly Change[], sweep: Sweep | undefined): Promise<void> {
    this.#mend()
    this.#transaction(() => {
      if (sweep) this.#sweep(sweep)
      for (const { type, revision, entry } of changes) {
        const { storage, namespace, name, writtenAt, text } = entry
        this.#insert.run(revision, storage, namespace, name, type === 'DELETED' ? 1 : 0, writtenAt, text)
      }
    })
    try {
      await this.#sync(this.#log)
    } catch (error) {
      this.#doubtfulFrom = changes[0]?.revision ?? Number.POSITIVE_INFINITY
      throw error
    }
  }

  close(): void {
    try {
      this.#mend()
    } finally {
      closeSync(this.#log)
      this.#database.close()
    }
  }

  /**
   * After a sync that failed, the kernel may have dropped what was written before: a later sync succeeds over a hole
   * in the log. So the doubtful rows go, and the whole log is moved into the main file, which is synced, and begun anew.
   */
  #mend(): void {
    if (this.#doubtfulFrom === undefined) return
    const from = this.#doubtfulFrom
    if (Number.isFinite(from)) this.#database.prepare('DELETE FROM change WHERE revision >= ?').run(from)
    const done = this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
    if (done?.['busy'] !== 0) throw new Error('the log could not be moved into the main file')
    this.#doubtfulFrom = undefined
  }

  #sweep({ oldestRevision, revisions }: Sweep): void {
    this.#setOldest.run(oldestRevision)
    for (const revision of revisions) this.#delete.run(revision)
  }

  #transaction(action: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      action()
      this.#database.exec('COMMIT')
    } catch (error) {
      // Some failures roll back by themselves.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      throw error
    }
  }
}

export function openDatabase({ path, maxPages, sync = promisify(fdatasync) }: DatabaseOptions): Database {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(privateFile(path))
    // Exclusive: no other process can write, whether it respects the lock of the folder or not.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    prepareSchema(database, path)
    if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${Math.trunc(maxPages)}`)
    return new Database(database, openSync(`${path}-wal`, 'r+'), sync)
  } catch (error) {
    if (database?.isOpen) database.close()
    throw openingFailure(path, error)
  }
}

function prepareSchema(database: DatabaseSync, path: string): void {
  const pragma = (name: string) => database.prepare(`PRAGMA ${name}`).get()?.[name]
  const [found, tables] = [
    Number(pragma('user_version')),
    database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count'],
  ]
  if (found === 0 && tables === 0) {
    database.exec(`BEGIN IMMEDIATE; ${schema} COMMIT`)
    return
  }
  if (pragma('application_id') !== applicationId)
    throw failures.EMBEDDED_DATA_DAMAGED({ path, detail: 'it is a database of another program' })
  if (found > format) throw failures.EMBEDDED_DATA_TOO_NEW({ path, found, known: format })
}
