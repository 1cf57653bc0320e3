import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GuardedDir } from '../../test/support/control-plane/guard.ts'
import { createGuardedDir } from '../../test/support/control-plane/guard.ts'

/** A whole run has a tenth of this at once; this much leaves room for those that run beside it. */
const enoughBytes = 2 * 2 ** 30

/**
 * A folder in memory for whatever a run keeps in files. Databases and control planes bring each write on disk, and no
 * test is about power cuts: PostgreSQL alone would take six times its processor time. Undefined where a machine has no
 * such place, too little of it, as most containers, or runs no programs from there, as some tests do.
 */
export function memoryFolder(parent = '/dev/shm', roomBytes = enoughBytes): GuardedDir | undefined {
  if (!existsSync(parent)) return undefined
  const { bavail, bsize } = statfsSync(parent)
  if (bavail * bsize < roomBytes) return undefined
  const folder = createGuardedDir(parent)
  // PostgreSQL is another user's where we are root.
  chmodSync(folder.path, 0o711)
  if (runsPrograms(folder.path)) return folder
  folder.remove()
  return undefined
}

function runsPrograms(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  return spawnSync(program).status === 0
}
