import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Checkpoint } from '../../core/checkpoint.ts'
import { syncFolder } from './private-files.ts'

/** Holds what a restore brings, complete: it has this name only once all of it is on disk. */
export const restoredFolder = 'restored'

/** Names the folder that what was there before goes to. */
export const asideFile = 'aside'

/** Not brought back, but of no use beside other data. */
const belongsToOld = ['state.db-wal', 'state.db-shm', 'state.db-open', 'admin.kubeconfig']

/** A name for what is of no use once the process that made it has ended; whoever has the lock next removes it. */
export const passingName = (what: 'restored' | 'check'): string => `${what}.${randomUUID()}`

// Exactly so: a folder may hold a check.sh of somebody's.
const isPassing = (name: string): boolean => /^(restored|check)\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name)

/**
 * Ends what a restore began, for whoever has the lock. A restore is decided by one rename; from then on each start and
 * each command moves on what is left to be moved, so that no kill leaves the old keys beside the new data. What was
 * begun and not decided is removed.
 */
export function takeUpRestored(dir: string, checkpoint: Checkpoint): void {
  for (const name of readdirSync(dir).filter(isPassing)) rmSync(join(dir, name), { recursive: true, force: true })
  const from = join(dir, restoredFolder)
  if (!existsSync(from)) return
  const aside = join(dir, readFileSync(join(from, asideFile), 'utf8').trim())
  for (const name of belongsToOld) moveAside(dir, name, aside)
  checkpoint('kube-restore.moved-aside')
  for (const name of readdirSync(from).filter((name) => name !== asideFile)) {
    moveAside(dir, name, aside)
    renameSync(join(from, name), join(dir, name))
    checkpoint('kube-restore.moved-in')
  }
  syncFolder(dir)
  // Under this name first: half removed, it would stand in the way of every start.
  const done = join(dir, passingName('restored'))
  renameSync(from, done)
  rmSync(done, { recursive: true })
  syncFolder(dir)
  checkpoint('kube-restore.done')
}

function moveAside(dir: string, name: string, aside: string): void {
  if (!existsSync(join(dir, name))) return
  mkdirSync(dirname(join(aside, name)), { recursive: true, mode: 0o700 })
  renameSync(join(dir, name), join(aside, name))
}
