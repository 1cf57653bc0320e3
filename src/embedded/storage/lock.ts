import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { failures } from '../failures.ts'
import { privateFolder } from './private-files.ts'
import { isBusy, openingFailure } from './sqlite-errors.ts'

/** For one that is just ending, and for a winner that has yet to write down who it is. */
const patienceMs = 300

/**
 * Makes the folder this process's alone until it is disposed of, or throws EMBEDDED_FOLDER_IN_USE. The kernel holds
 * the lock, through SQLite, and drops it with the process however that ends; the number in `lock.pid` is for people
 * and decides nothing, as numbers of processes are used again.
 */
export function lockFolder(dir: string): Disposable {
  const path = privateFolder(dir)
  const owner = join(dir, 'lock.pid')
  const lock = new DatabaseSync(path, { timeout: patienceMs })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    throw isBusy(error) ? failures.EMBEDDED_FOLDER_IN_USE({ dir, ...ownerIn(owner) }) : openingFailure(path, error)
  }
  rmSync(owner, { force: true })
  writeFileSync(owner, `${process.pid}\n`, { mode: 0o600 })
  let isHeld = true
  return {
    [Symbol.dispose]() {
      if (!isHeld) return
      isHeld = false
      // Before the lock goes: afterwards it may be the next one's.
      rmSync(owner, { force: true })
      lock.close()
    },
  }
}

function ownerIn(path: string): { pid: string; since: string } {
  try {
    return { pid: readFileSync(path, 'utf8').trim(), since: statSync(path).mtime.toISOString() }
  } catch {
    return { pid: '(unknown)', since: 'a moment ago' }
  }
}
