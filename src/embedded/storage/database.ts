import { closeSync, fdatasync, openSync } from 'node:fs'
import type { StatementSync } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import type { Checkpoint } from '../../core/checkpoint.ts'
import { passBy } from '../../core/checkpoint.ts'
import { failures } from '../failures.ts'
import type { RowContent } from './checksum.ts'
import { historyChecksum, rowChecksum } from './checksum.ts'
import { applicationId, format, pragma, schema, whyNotOurs } from './formats.ts'
import { rowName } from './inspect-row.ts'
import { markOpen, unmarkOpen, whyEmpty, whyLogLost } from './left-behind.ts'
import { migrate } from './migrate.ts'
import { privateFile } from './private-files.ts'
import { DamagedData, openingFailure } from './sqlite-errors.ts'
import type { Change } from './store.ts'

export interface Row extends RowContent {
  checksum: number
}

export interface DatabaseOptions {
  path: string
  /** Of 4 KiB. */
  maxPages?: number | undefined
  /** Brings what was written to the file on disk. Default: fdatasync. */
  sync?: ((file: number) => Promise<void>) | undefined
  checkpoint?: Checkpoint | undefined
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
  readonly #path: string
  readonly #database: DatabaseSync
  readonly #log: number
  readonly #sync: (file: number) => Promise<void>
  readonly #insert: StatementSync
  readonly #delete: StatementSync
  readonly #setOldest: StatementSync
  /** Rows from this revision on were committed but may not be on disk. */
  #doubtfulFrom: number | undefined

  constructor(path: string, database: DatabaseSync, sync: (file: number) => Promise<void>) {
    this.#path = path
    this.#database = database
    this.#log = openSync(`${path}-wal`, 'r+')
    markOpen(path)
    this.#sync = sync
    this.#insert = database.prepare('INSERT INTO change VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
    this.#delete = database.prepare('DELETE FROM change WHERE revision = ?')
    this.#setOldest = database.prepare('UPDATE history SET oldestRevision = ?, checksum = ?')
  }

  get oldestRevision(): number {
    const rows = this.#database.prepare('SELECT * FROM history').all()
    const oldest = Number(rows[0]?.['oldestRevision'])
    if (rows.length !== 1 || rows[0]?.['checksum'] !== historyChecksum(oldest))
      throw new DamagedData('where the history begins is not what was written')
    return oldest
  }

  /** Oldest first. Throws at one that is not what was written. */
  *rows(): Iterable<Row> {
    const found = this.#database.prepare('SELECT * FROM change ORDER BY revision').iterate()
    for (const row of found as Iterable<unknown> as Iterable<Row>) {
      if (row.checksum !== rowChecksum(row))
        throw new DamagedData(`of ${rowName(row)} at revision ${row.revision}: its checksum does not fit`)
      yield row
    }
  }

  /** All of it or nothing, and on disk when it resolves. */
  async append(changes: readonly Change[], sweep: Sweep | undefined): Promise<void> {
    this.#mend()
    this.#transaction(() => {
      if (sweep) this.#sweep(sweep)
      for (const { type, revision, entry } of changes) {
        const { storage, namespace, name, writtenAt, text } = entry
        const deleted = type === 'DELETED' ? 1 : 0
        const checksum = rowChecksum({ revision, storage, namespace, name, deleted, writtenAt, text })
        this.#insert.run(revision, storage, namespace, name, deleted, writtenAt, text, checksum)
      }
    })
    try {
      await this.#sync(this.#log)
    } catch (error) {
      this.#doubtfulFrom = changes[0]?.revision ?? Number.POSITIVE_INFINITY
      throw error
    }
  }

  /** Gives what deleted rows took back to the disk. */
  shrink(): void {
    this.#database.exec('VACUUM')
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  }

  close(): void {
    try {
      this.#mend()
    } finally {
      closeSync(this.#log)
      // Before SQLite removes the log: see whyLogLost.
      unmarkOpen(this.#path)
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
    this.#setOldest.run(oldestRevision, historyChecksum(oldestRevision))
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

export function openDatabase(options: DatabaseOptions): Database {
  const { path, maxPages, sync = promisify(fdatasync), checkpoint = passBy } = options
  let database: DatabaseSync | undefined
  try {
    const why = whyEmpty(path) ?? whyLogLost(path)
    if (why) throw new DamagedData(why)
    database = new DatabaseSync(privateFile(path))
    // Exclusive: no other process can write, whether it respects the lock of the folder or not.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    prepareSchema(database, path, checkpoint)
    if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${Math.trunc(maxPages)}`)
    return new Database(path, database, sync)
  } catch (error) {
    if (database?.isOpen) database.close()
    throw openingFailure(path, error)
  }
}

function prepareSchema(database: DatabaseSync, path: string, checkpoint: Checkpoint): void {
  const found = Number(pragma(database, 'user_version'))
  const tables = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count']
  if (found === 0 && tables === 0) {
    // On disk before the first change follows it: see readLog.
    database.exec(`BEGIN IMMEDIATE; ${schema} COMMIT; PRAGMA wal_checkpoint(TRUNCATE)`)
    return
  }
  const isOurs = pragma(database, 'application_id') === applicationId
  if (isOurs && found > format) throw failures.EMBEDDED_DATA_TOO_NEW({ path, found, known: format })
  const why = whyNotOurs(database, found) ?? whyDamagedPages(database)
  if (why) throw new DamagedData(why)
  migrate(database, path, found, checkpoint)
}

/** Pages that make no sense may hide rows without a word: what is read of such a file is not all there was. */
export function whyDamagedPages(database: DatabaseSync): string | undefined {
  const [first] = database.prepare('PRAGMA quick_check(1)').all()
  const verdict = String(first?.['quick_check'])
  return verdict === 'ok' ? undefined : verdict.replace(/\s+/g, ' ')
}
