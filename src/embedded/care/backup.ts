import { existsSync } from 'node:fs'
import { failures } from '../failures.ts'
import { lockFolder } from '../storage/lock.ts'
import { openStore } from '../storage/open-store.ts'
import { detailOf } from '../storage/private-files.ts'
import { writeBackup } from './backup-file.ts'
import { filesOf } from './check-folder.ts'
import type { CareDeps } from './ground.ts'
import { needData, servedBy } from './ground.ts'
import { objectsOfRunning } from './running.ts'
import type { Snapshot } from './snapshot.ts'
import { objectsNow } from './snapshot.ts'

export interface BackupReport {
  file: string
  bytes: number
  objects: number
  revision: number
  takenAt: string
  /** Whether a process that serves the folder was asked. */
  wasRunning: boolean
}

export async function backup(
  { dir, to, overwrite }: { dir: string; to: string; overwrite: boolean },
  deps: CareDeps,
): Promise<BackupReport> {
  needData(dir)
  if (existsSync(to) && !overwrite) throw failures.EMBEDDED_BACKUP_EXISTS({ file: to })
  const takenAt = deps.clock.now().toISOString()
  const { wasRunning, ...taken } = await objectsOf(dir, deps)
  const snapshot: Snapshot = { takenAt, files: filesOf(dir), ...taken }
  const bytes = await writeBackup(to, snapshot, deps)
  return { file: to, bytes, objects: taken.objects.length, revision: taken.revision, takenAt, wasRunning }
}

async function objectsOf(dir: string, deps: CareDeps) {
  try {
    using _lock = lockFolder(dir, deps.checkpoint)
    const store = openStore({ dir, ...deps })
    const taken = { revision: store.revision, objects: objectsNow(store), wasRunning: false }
    await store.close()
    return taken
  } catch (error) {
    const pid = servedBy(error)
    if (pid === undefined) throw error
    const taken = await objectsOfRunning(dir, deps.signal).catch((cause: unknown) => {
      throw failures.EMBEDDED_NOT_ANSWERING({ pid, dir, detail: detailOf(cause) }, cause)
    })
    return { ...taken, wasRunning: true }
  }
}
