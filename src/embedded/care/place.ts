import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Checkpoint } from '../../core/checkpoint.ts'
import { failures } from '../failures.ts'
import { historyChecksum, rowChecksum } from '../storage/checksum.ts'
import { schema } from '../storage/formats.ts'
import { detailOf, privateFile, syncFolder } from '../storage/private-files.ts'
import { asideFile, passingName, restoredFolder, takeUpRestored } from '../storage/restored.ts'
import type { Snapshot } from './snapshot.ts'

/** What a folder may hold and be empty all the same: a restore or a start that was killed leaves this. */
const nothing = ['lock.db', 'lock.db-journal', 'lock.pid', restoredFolder]

/** What stands in the way of new data in this folder. */
export const insideOf = (dir: string): string[] => readdirSync(dir).filter((name) => !nothing.includes(name))

export interface Placing {
  /** Locked. */
  dir: string
  snapshot: Snapshot
  /** Where the counter goes on. */
  revision: number
  /** Within the folder, for what is in the way. */
  aside: string
  checkpoint: Checkpoint
}

/** Puts data and keys into a folder, all of it or nothing, and what was there before aside. */
export function placeSnapshot(placing: Placing): void {
  const { dir, checkpoint } = placing
  const staging = join(dir, passingName('restored'))
  try {
    stage(staging, placing)
    renameSync(staging, join(dir, restoredFolder))
  } catch (error) {
    rmSync(staging, { recursive: true, force: true })
    throw failures.EMBEDDED_FOLDER_UNUSABLE({ dir, detail: detailOf(error) }, error)
  }
  syncFolder(dir)
  checkpoint('kube-restore.announced')
  takeUpRestored(dir, checkpoint)
}

function stage(staging: string, { snapshot, revision, aside, checkpoint }: Placing): void {
  mkdirSync(staging, { mode: 0o700 })
  checkpoint('kube-restore.begun')
  writeState(join(staging, 'state.db'), snapshot, revision)
  checkpoint('kube-restore.data-written')
  for (const [path, content] of [...snapshot.files, [asideFile, aside] as const])
    writeSynced(join(staging, path), content)
  syncFolder(staging)
  checkpoint('kube-restore.keys-written')
}

function writeState(path: string, { objects }: Snapshot, revision: number): void {
  const database = new DatabaseSync(privateFile(path))
  try {
    database.exec(`PRAGMA synchronous = FULL; BEGIN IMMEDIATE; ${schema}`)
    const insert = database.prepare('INSERT INTO change VALUES (?, ?, ?, ?, 0, ?, ?, ?)')
    for (const entry of objects.toSorted((a, b) => a.revision - b.revision)) {
      const { storage, namespace, name, writtenAt, text } = entry
      const checksum = rowChecksum({ ...entry, deleted: 0 })
      insert.run(entry.revision, storage, namespace, name, writtenAt, text, checksum)
    }
    // The history begins here: whoever knows an earlier revision, or a later one of before, lists again.
    database.prepare('UPDATE history SET oldestRevision = ?, checksum = ?').run(revision, historyChecksum(revision))
    database.exec('COMMIT')
  } finally {
    database.close()
  }
}

function writeSynced(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  syncFolder(dirname(path))
}
