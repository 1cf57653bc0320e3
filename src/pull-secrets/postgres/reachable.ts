/** PostgreSQL refuses to run as root, so that it is started as another user, who has to get to its programs. */
import { randomUUID } from 'node:crypto'
import { chmod, cp, mkdir, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { isFailure } from '../../core/failure.ts'
import type { PostgresBinaries } from './binaries.ts'
import { postgresBinaries } from './binaries.ts'
import type { Identity } from './identity.ts'
import { checkPassage } from './identity.ts'

/** Those that npm installed; where the user of PostgreSQL cannot get to them, a copy. */
export async function reachableBinaries(identity: Identity | undefined): Promise<PostgresBinaries> {
  const installed = await postgresBinaries()
  if (!identity) return installed
  try {
    await checkPassage(installed.postgres, identity)
    return installed
  } catch (error) {
    if (!isFailure(error, 'POSTGRES_BLOCKED')) throw error
    return await copyOf(installed)
  }
}

/** Made once a version. What lies there and is not root's was put there by somebody else, and is not run. */
async function copyOf({ initdb, pg_ctl, postgres }: PostgresBinaries): Promise<PostgresBinaries> {
  const source = dirname(dirname(postgres))
  const { size, mtimeMs } = await stat(postgres)
  const place = join(tmpdir(), `lanyard-postgres-${size}-${Math.round(mtimeMs)}`)
  const there = await stat(place).catch(() => undefined)
  const isOurs = there?.uid === 0 && (there.mode & 0o022) === 0
  const target = isOurs || !there ? place : `${place}-${randomUUID()}`
  if (!isOurs) {
    const draft = join(tmpdir(), `lanyard-postgres-${randomUUID()}`)
    await mkdir(draft, { mode: 0o755 })
    await cp(source, draft, { recursive: true, verbatimSymlinks: true })
    await chmod(draft, 0o755)
    // Another process may have been faster: its copy is as good.
    await rename(draft, target).catch(() => rm(draft, { recursive: true, force: true }))
  }
  const moved = (path: string) => join(target, relative(source, path))
  return { initdb: moved(initdb), pg_ctl: moved(pg_ctl), postgres: moved(postgres) }
}
