import { chown, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Identity } from './identity.ts'

/** macOS takes 103 bytes, Linux 107. */
const longestPath = 103
const prefix = 'lanyard-pg-'

/** The path of a socket has to be short. Where the folder's is too long, it lies among temporary files. */
export async function socketFolderFor(dir: string, identity: Identity | undefined): Promise<string> {
  if (Buffer.byteLength(join(dir, '.s.PGSQL.5432')) <= longestPath) return dir
  const short = await mkdtemp(join(tmpdir(), prefix))
  if (identity) await chown(short, identity.uid, identity.gid)
  return short
}

/** Whether a folder was made by that, and may be removed. */
export const isShortFolder = (folder: string): boolean =>
  dirname(folder) === tmpdir() && basename(folder).startsWith(prefix)
