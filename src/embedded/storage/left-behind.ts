import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncFolder } from './private-files.ts'
import { readLog } from './write-ahead-log.ts'

const markOf = (path: string): string => `${path}-open`

/** As long as this is there, so is the log: SQLite takes a database without one for one that was closed. */
export function markOpen(path: string): void {
  closeSync(openSync(markOf(path), 'w', 0o600))
  syncFolder(dirname(path))
}

export function unmarkOpen(path: string): void {
  // Somebody may have removed the whole folder by now.
  if (!existsSync(markOf(path))) return
  rmSync(markOf(path), { force: true })
  syncFolder(dirname(path))
}

const pageBytes = 4_096

/** Why acknowledged writes are lost to SQLite, which would open what is left without a word. Asked before it does. */
export function whyLogLost(path: string): string | undefined {
  const log = `${path}-wal`
  if (existsSync(log)) return readLog(readFileSync(log), pageBytes).damage
  return existsSync(markOf(path)) ? 'its log, state.db-wal, is missing, which had the latest changes' : undefined
}

/** A file without anything in it, or none at all, is a new one to SQLite. It is none where there is a log, or keys. */
export function whyEmpty(path: string): string | undefined {
  const size = sizeOf(path)
  if (size) return undefined
  const hasLog = (sizeOf(`${path}-wal`) ?? 0) > 0
  // With keys and without the file: somebody wants to begin anew.
  if (size === undefined) return hasLog ? 'it is missing, and its log is there' : undefined
  return hasLog || existsSync(join(dirname(path), 'pki')) ? 'it is empty, and was not' : undefined
}

const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size
