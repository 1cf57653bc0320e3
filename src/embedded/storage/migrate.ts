import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Checkpoint } from '../../core/checkpoint.ts'
import { isFailure } from '../../core/failure.ts'
import { failures } from '../failures.ts'
import { format, migrations } from './formats.ts'
import type { FoundRow } from './inspect-row.ts'
import { rowName, whyDamaged } from './inspect-row.ts'
import { detailOf, privateFile, syncFolder } from './private-files.ts'

/**
 * Brings an older database to the format of this version: all of it or nothing, whenever the process ends. What it was
 * stays beside it, as `state.db.format-1`, for whoever wants to go back.
 */
export function migrate(database: DatabaseSync, path: string, found: number, checkpoint: Checkpoint): void {
  if (found === format) return
  try {
    // Damage must not be given a checksum that says it is none.
    refuseDamagedRows(database, path)
    keepCopy(database, `${path}.format-${found}`)
    checkpoint('kube-migration.copied')
    database.exec('BEGIN IMMEDIATE')
    for (const { from, run } of migrations) {
      if (from < found) continue
      run(database)
      database.exec(`PRAGMA user_version = ${from + 1}`)
      checkpoint('kube-migration.run')
    }
    database.exec('COMMIT')
    checkpoint('kube-migration.committed')
    giveRoomBack(database)
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    if (isFailure(error)) throw error
    throw failures.EMBEDDED_NOT_MIGRATED({ path, found, known: format, detail: detailOf(error) }, error)
  }
}

/** The tables of before left as much room as they took. */
function giveRoomBack(database: DatabaseSync): void {
  try {
    database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // Where the disk has none for it, `lanyard kube compact` does it one day; the migration is done.
  }
}

function refuseDamagedRows(database: DatabaseSync, path: string): void {
  for (const row of database.prepare('SELECT * FROM change').iterate() as Iterable<unknown> as Iterable<FoundRow>) {
    const why = whyDamaged(row)
    if (why)
      throw failures.EMBEDDED_DATA_DAMAGED({
        ...{ path, dir: dirname(path) },
        detail: `of ${rowName(row)} at revision ${row.revision}: ${why}`,
      })
  }
}

function keepCopy(database: DatabaseSync, copy: string): void {
  if (existsSync(copy)) return
  const beside = `${copy}.new`
  rmSync(beside, { force: true })
  database.prepare('VACUUM INTO ?').run(privateFile(beside))
  const file = openSync(beside, 'r+')
  fsyncSync(file)
  closeSync(file)
  renameSync(beside, copy)
  syncFolder(dirname(copy))
}
