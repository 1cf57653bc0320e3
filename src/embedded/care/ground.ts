import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Checkpoint } from '../../core/checkpoint.ts'
import type { Clock } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import type { Log } from '../../core/log.ts'
import { failures } from '../failures.ts'
import { lockFolder } from '../storage/lock.ts'
import { restoredFolder } from '../storage/restored.ts'

export interface CareDeps {
  clock: Clock
  log: Log
  signal: AbortSignal
  checkpoint: Checkpoint
}

/** The database of a folder. */
export const stateOf = (dir: string): string => join(dir, 'state.db')

/** Throws where there is nothing to look after. */
export function needData(dir: string): void {
  const signs = [stateOf(dir), `${stateOf(dir)}-wal`, join(dir, restoredFolder)]
  if (!signs.some((path) => existsSync(path))) throw failures.EMBEDDED_NO_DATA({ dir })
}

/** The process that serves the folder, where an attempt to lock it failed for that; undefined otherwise. */
export const servedBy = (error: unknown): string | undefined =>
  isFailure(error, 'EMBEDDED_FOLDER_IN_USE') ? String(error.params['pid']) : undefined

/** Locks a folder; where it is served, throws what the caller says about that. */
export function lockOr(
  dir: string,
  { checkpoint }: CareDeps,
  refuse: (params: { pid: string; dir: string }, cause?: unknown) => Error,
): Disposable {
  try {
    return lockFolder(dir, checkpoint)
  } catch (error) {
    const pid = servedBy(error)
    throw pid === undefined ? error : refuse({ dir, pid }, error)
  }
}
