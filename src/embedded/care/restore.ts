import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { failures } from '../failures.ts'
import { lockFolder } from '../storage/lock.ts'
import { readWholeBackup } from './backup-file.ts'
import type { CareDeps } from './ground.ts'
import { stateOf } from './ground.ts'
import { insideOf, placeSnapshot } from './place.ts'
import { readPages } from './salvage/pages.ts'
import { salvage } from './salvage/salvage.ts'
import type { Snapshot } from './snapshot.ts'
import { revisionAfterRestore } from './snapshot.ts'

export interface RestoreReport {
  dir: string
  objects: number
  takenAt: string
  /** Where the counter goes on: clients that know earlier ones list again. */
  revision: number
  /** Where what was there before is; absent where there was nothing. */
  aside?: string
}

export async function restore(
  { dir, from, replace }: { dir: string; from: string; replace: boolean },
  deps: CareDeps,
): Promise<RestoreReport> {
  const snapshot = await readWholeBackup(from)
  using _lock = lockFolder(dir, deps.checkpoint)
  const inside = insideOf(dir)
  if (inside.length > 0 && !replace) throw failures.EMBEDDED_FOLDER_NOT_EMPTY({ dir, inside: inside.join(', ') })
  const before = existsSync(stateOf(dir)) ? revisionIn(dir) : 0
  const { aside, ...placed } = place(dir, snapshot, before, deps)
  return { ...placed, takenAt: snapshot.takenAt, ...(existsSync(aside) && { aside }) }
}

/** What clients of the data that goes aside may know, as far as it is readable. */
function revisionIn(dir: string): number {
  try {
    return salvage(readPages(stateOf(dir))).revision
  } catch {
    return 0
  }
}

/** Puts a snapshot into a locked folder, ahead of every revision that somebody may know. */
export function place(dir: string, snapshot: Snapshot, before: number, { clock, checkpoint }: CareDeps) {
  const now = clock.now()
  const revision = revisionAfterRestore(now, snapshot.revision, before)
  const aside = `before-${now.toISOString().replaceAll(':', '-')}`
  placeSnapshot({ dir, snapshot, revision, aside, checkpoint })
  return { dir, objects: snapshot.objects.length, revision, aside: join(dir, aside) }
}
