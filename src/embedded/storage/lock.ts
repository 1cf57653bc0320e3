import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Checkpoint } from '../../core/checkpoint.ts'
import { passBy } from '../../core/checkpoint.ts'
import { failures } from '../failures.ts'
import { detailOf, privateFolder } from './private-files.ts'
import { takeUpRestored } from './restored.ts'
import { isBusy, isDamage, openingFailure } from './sqlite-errors.ts'

/** For one that is just ending, and for a winner that has yet to write down who it is. */
const patienceMs = 300

/**
 * Makes the folder this process's alone until it is disposed of, or throws EMBEDDED_FOLDER_IN_USE. The kernel holds
 * the lock, through SQLite, and drops it with the process however that ends; the number in `lock.pid` is for people
 * and decides nothing, as numbers of processes are used again. A restore that was under way is brought to its end.
 */
export function lockFolder(dir: string, checkpoint: Checkpoint = passBy): Disposable {
  const path = privateFolder(dir)
  const owner = join(dir, 'lock.pid')
  const lock = new DatabaseSync(path, { timeout: patienceMs })
  try {
    // Nothing is ever written, so nothing needs a journal: on a disk that is full there would be no room for one.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (isBusy(error)) throw failures.EMBEDDED_FOLDER_IN_USE({ dir, ...ownerIn(owner) })
    throw isDamage(error)
      ? failures.EMBEDDED_LOCK_DAMAGED({ path, detail: detailOf(error) }, error)
      : openingFailure(path, error)
  }
  nameOwner(owner)
  try {
    takeUpRestored(dir, checkpoint)
  } catch (error) {
    lock.close()
    throw failures.EMBEDDED_FOLDER_UNUSABLE({ dir, detail: detailOf(error) }, error)
  }
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

function nameOwner(path: string): void {
  try {
    rmSync(path, { force: true })
    writeFileSync(path, `${process.pid}\n`, { mode: 0o600 })
  } catch {
    // On a disk that is full: people are not told who it is, and what is there is served.
  }
}

function ownerIn(path: string): { pid: string; since: string } {
  try {
    return { pid: readFileSync(path, 'utf8').trim(), since: statSync(path).mtime.toISOString() }
  } catch {
    return { pid: '(unknown)', since: 'a moment ago' }
  }
}
