import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isFailure } from '../../core/failure.ts'
import { failures } from '../failures.ts'

const mark = 'lock.db'
const forOthers = 0o077

/**
 * Makes the folder, or closes one that is there, to everybody else. A folder with things of others in it is refused
 * rather than closed: it may be one that the whole machine lives by.
 *
 * @returns the path of the file in it that marks it as ours and is locked while it is served.
 */
export function privateFolder(dir: string): string {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    // Who owns it reads it, and can put keys of their own in their place. Only root gets this far in a folder of others.
    if (isOfOthers(dir)) throw failures.EMBEDDED_FOLDER_OF_OTHERS({ dir })
    if (isOpenToOthers(dir)) {
      const inside = readdirSync(dir)
      if (inside.length > 0 && !inside.includes(mark)) throw failures.EMBEDDED_FOLDER_NOT_PRIVATE({ dir })
      chmodSync(dir, 0o700)
    }
    return privateFile(join(dir, mark))
  } catch (error) {
    if (isFailure(error)) throw error
    throw failures.EMBEDDED_FOLDER_UNUSABLE({ dir, detail: detailOf(error) }, error)
  }
}

/**
 * SQLite gives its own files the mode of the one it finds. The file is not opened if it is there: to close it again
 * would release every lock that this process has on it.
 */
export function privateFile(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })) {
    if (isOpenToOthers(path)) chmodSync(path, 0o600)
    return path
  }
  closeSync(openSync(path, 'ax', 0o600))
  syncFolder(dirname(path))
  return path
}

/** After this, what was made, renamed or removed in it stays so. */
export function syncFolder(dir: string): void {
  const folder = openSync(dir, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

const isOfOthers = (path: string): boolean => {
  const me = process.geteuid?.()
  return me !== undefined && statSync(path).uid !== me
}

const isOpenToOthers = (path: string): boolean => (statSync(path).mode & forOthers) !== 0

export const detailOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
