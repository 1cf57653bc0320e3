import type { DatabaseSync } from 'node:sqlite'
import { historyChecksum, rowChecksum } from './checksum.ts'

/** "LNYD": tells a database of ours from any other. */
export const applicationId = 0x4c4e5944

/** Of a database that this version writes. Its number is SQLite's `user_version`. */
export const format = 2

const tables = `
  CREATE TABLE change (
    revision INTEGER PRIMARY KEY,
    storage TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    deleted INTEGER NOT NULL,
    writtenAt INTEGER NOT NULL,
    text TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE history (oldestRevision INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;
`

export const schema = `
  ${tables}
  INSERT INTO history VALUES (0, ${historyChecksum(0)});
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${format};
`

const columnsOfChange = ['revision', 'storage', 'namespace', 'name', 'deleted', 'writtenAt', 'text']

/** The columns of each table, by format: a database that says one format and has the tables of another is damaged. */
const columns: Readonly<Record<number, Readonly<Record<string, readonly string[]>>>> = {
  1: { change: columnsOfChange, history: ['oldestRevision'] },
  2: { change: [...columnsOfChange, 'checksum'], history: ['oldestRevision', 'checksum'] },
}

export interface Migration {
  /** Leads to the format after this one. */
  readonly from: number
  run(database: DatabaseSync): void
}

/** In order. One that was released is never changed: there are folders that went through it. */
export const migrations: readonly Migration[] = [{ from: 1, run: addChecksums }]

/** Before format 2 a row was what its file said. Rows are looked at before this runs; see migrate.ts. */
function addChecksums(database: DatabaseSync): void {
  database.function('row_checksum', { deterministic: true, varargs: true }, (...values) =>
    rowChecksum(Object.fromEntries(columnsOfChange.map((name, at) => [name, values[at]])) as never),
  )
  database.function('history_checksum', { deterministic: true }, (oldest) => historyChecksum(Number(oldest)))
  database.exec(`
    ALTER TABLE change RENAME TO change_1;
    ALTER TABLE history RENAME TO history_1;
    ${tables}
    INSERT INTO change SELECT *, row_checksum(${columnsOfChange.join(', ')}) FROM change_1 ORDER BY revision;
    INSERT INTO history SELECT oldestRevision, history_checksum(oldestRevision) FROM history_1;
    DROP TABLE change_1;
    DROP TABLE history_1;
  `)
}

/** Why this is no database of ours in a format that we know; undefined where it is. */
export function whyNotOurs(database: DatabaseSync, found: number): string | undefined {
  if (pragma(database, 'application_id') !== applicationId) return 'it is a database of another program'
  const expected = columns[found]
  if (!expected) return `it says that it has format ${found}, which never was`
  const tablesFound = database.prepare('SELECT name FROM sqlite_schema ORDER BY name').all()
  const isSame =
    tablesFound.map(({ name }) => name).join() === Object.keys(expected).join() &&
    Object.entries(expected).every(([table, names]) => columnsIn(database, table) === names.join())
  return isSame ? undefined : `it does not have the tables of format ${found}`
}

const columnsIn = (database: DatabaseSync, table: string): string =>
  database
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => name)
    .join()

export const pragma = (database: DatabaseSync, name: string): unknown =>
  database.prepare(`PRAGMA ${name}`).get()?.[name]
