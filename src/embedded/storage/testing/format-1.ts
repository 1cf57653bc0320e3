import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** As the version before format 2 wrote it: objects a and c, b deleted, the history from revision 1 on. */
const rows: [revision: number, name: string, deleted: number, value: string][] = [
  [1, 'a', 0, 'first'],
  [2, 'b', 0, 'short-lived'],
  [3, 'a', 0, 'second'],
  [4, 'b', 1, 'short-lived'],
  [5, 'c', 0, 'with ü and \u2028'],
]

/** A folder of format 1, closed as it should be. */
export function writeFormat1(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const path = join(dir, 'state.db')
  const database = new DatabaseSync(path)
  database.exec(`
    PRAGMA journal_mode = WAL;
    BEGIN;
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
    INSERT INTO history VALUES (1);
    PRAGMA application_id = ${0x4c4e5944};
    PRAGMA user_version = 1;
    COMMIT`)
  const insert = database.prepare('INSERT INTO change VALUES (?, ?, ?, ?, ?, ?, ?)')
  for (const [revision, name, deleted, value] of rows) {
    const metadata = { name, namespace: 'default', resourceVersion: String(revision) }
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } })
    insert.run(revision, 'configmaps', 'default', name, deleted, 1_700_000_000_000 + revision, text)
  }
  database.close()
  chmodSync(path, 0o600)
}
