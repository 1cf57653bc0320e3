/** The folder of a database: made once, and whole or not at all. */
import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { failures } from '../failures.ts'
import type { PostgresBinaries } from './binaries.ts'
import type { Identity } from './identity.ts'
import { ownName } from './identity.ts'
import { isAlive } from './running.ts'

const run = promisify(execFile)

/** The role that we are to the server. */
export const role = 'lanyard'

export interface Folder {
  dir: string
  data: string
  /** What the server says. */
  logFile: string
}

export const folderAt = (dir: string): Folder => ({
  dir,
  data: join(dir, 'data'),
  logFile: join(dir, 'postgres.log'),
})

export async function prepareFolder(
  { dir, data, logFile }: Folder,
  { initdb, postgres }: PostgresBinaries,
  identity: Identity | undefined,
  isSynced: boolean,
): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await own(dir, identity)
  await chmod(dir, 0o700)
  const found = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (found === undefined) {
    const made = await initialized(dir, [initdb, ...(isSynced ? [] : ['--no-sync'])], logFile, identity)
    await rename(made, data).catch(async (error: NodeJS.ErrnoException) => {
      await rm(made, { recursive: true, force: true })
      // Somebody else was faster.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
    await using parent = await open(dir, 'r')
    await parent.sync()
  } else {
    const ours = (await run(postgres, ['--version'], { ...asUser(identity) })).stdout.match(/(\d+)/)?.[1]
    if (found.trim() !== ours) throw failures.POSTGRES_VERSION({ folder: dir, found: found.trim(), ours })
  }
  await admitOnlyUs(data)
}

/** A new cluster under a name of ours; leftovers of those who were killed at it are removed. */
async function initialized(
  dir: string,
  [initdb = '', ...flags]: string[],
  logFile: string,
  identity: Identity | undefined,
): Promise<string> {
  const prefix = 'data.new-'
  for (const entry of await readdir(dir)) {
    const maker = entry.startsWith(prefix) ? Number(entry.slice(prefix.length).split('-')[0]) : undefined
    if (maker !== undefined && !isAlive(maker)) await rm(join(dir, entry), { recursive: true, force: true })
  }
  const made = await mkdtemp(join(dir, `${prefix}${process.pid}-`))
  await own(made, identity)
  const args = ['-D', made, '-U', role, '-E', 'UTF8', '--no-locale', '-A', 'peer', '--no-instructions', ...flags]
  try {
    await run(initdb, args, { ...asUser(identity), cwd: dir, env: plainEnvironment })
  } catch (error) {
    const { stderr, code } = error as { stderr?: string; code?: unknown }
    await writeFile(logFile, stderr ?? '', { mode: 0o600 })
    await rm(made, { recursive: true, force: true })
    throw failures.POSTGRES_INIT_FAILED({ folder: dir, detail: `initdb ended with ${code}`, file: logFile }, error)
  }
  return made
}

/** Nobody else gets in: no network, and on the socket only whoever the system says we are. Written at each start. */
async function admitOnlyUs(data: string): Promise<void> {
  await writeFile(join(data, 'pg_hba.conf'), `local all ${role} peer map=${role}\n`)
  await writeFile(join(data, 'pg_ident.conf'), `${role} "${ownName()}" ${role}\n`)
}

/** Neither our secrets nor our PG… variables. */
export const plainEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export const asUser = (identity: Identity | undefined): { uid?: number; gid?: number } =>
  identity ? { uid: identity.uid, gid: identity.gid } : {}

export async function own(path: string, identity: Identity | undefined): Promise<void> {
  if (identity) await chown(path, identity.uid, identity.gid)
}
