import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { failures } from '../failures.ts'
import { lockFolder } from '../storage/lock.ts'
import type { Entry } from '../storage/store.ts'
import { readWholeBackup } from './backup-file.ts'
import type { Correction, Ended } from './corrections.ts'
import { correctedObjects } from './corrections.ts'
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
  /** What gave access when the backup was taken, and does not any more. */
  ended: readonly Ended[]
  /** What the operator has to know or do. */
  warnings: readonly string[]
}

export interface RestoreOptions {
  dir: string
  from: string
  replace: boolean
  corrections?: readonly Correction[]
}

export async function restore(
  { dir, from, replace, corrections = [] }: RestoreOptions,
  deps: CareDeps,
): Promise<RestoreReport> {
  const snapshot = await readWholeBackup(from)
  using _lock = lockFolder(dir, deps.checkpoint)
  const inside = insideOf(dir)
  if (inside.length > 0 && !replace) throw failures.EMBEDDED_FOLDER_NOT_EMPTY({ dir, inside: inside.join(', ') })
  const before = existsSync(stateOf(dir)) ? readable(dir) : undefined
  const now = deps.clock.now()
  const first = revisionAfterRestore(now, snapshot.revision, before?.revision ?? 0)
  const context = { now, before: before?.objects, revision: first }
  const { objects, revision, ...told } = correctedObjects(snapshot.objects, corrections, context)
  const { aside, ...placed } = place(dir, { ...snapshot, objects }, revision, deps)
  return { ...placed, takenAt: snapshot.takenAt, ...(existsSync(aside) && { aside }), ...told }
}

/** The data that goes aside, and what its clients may know, as far as it is readable. */
function readable(dir: string): { revision: number; objects?: readonly Entry[] } {
  try {
    return salvage(readPages(stateOf(dir)))
  } catch {
    return { revision: 0 }
  }
}

/** Puts a snapshot into a locked folder. `revision`: ahead of every one that somebody may know. */
export function place(dir: string, snapshot: Snapshot, revision: number, { clock, checkpoint }: CareDeps) {
  const aside = `before-${clock.now().toISOString().replaceAll(':', '-')}`
  placeSnapshot({ dir, snapshot, revision, aside, checkpoint })
  return { dir, objects: snapshot.objects.length, revision, aside: join(dir, aside) }
}
