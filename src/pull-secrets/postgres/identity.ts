/** As whom PostgreSQL runs: it refuses root. */
import { chmod, chown, readFile, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { failures } from '../failures.ts'

export interface Identity {
  uid: number
  gid: number
  name: string
}

/** Undefined: as ourselves. Else whoever owns the folder already, `postgres`, or `nobody`. */
export async function identityFor(folder: string): Promise<Identity | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const users = usersIn(await readFile('/etc/passwd', 'utf8'))
  const owner = await stat(folder).then(
    ({ uid, gid }) =>
      uid === 0 ? undefined : { uid, gid, name: users.find((user) => user.uid === uid)?.name ?? `${uid}` },
    () => undefined,
  )
  const found = owner ?? ['postgres', 'nobody'].map((name) => users.find((user) => user.name === name)).find(Boolean)
  if (!found) throw failures.POSTGRES_NO_USER()
  return found
}

const usersIn = (passwd: string): Identity[] =>
  passwd.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':')
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : []
  })

/**
 * Throws when the identity cannot get to a path, naming the folder that is in its way. From `ours` down the way is opened
 * to it instead: it may pass, and see nothing that is not open to it already.
 */
export async function checkPassage(path: string, identity: Identity, ours?: string): Promise<void> {
  const { uid, gid, name } = identity
  for (const folder of foldersTo(path)) {
    const found = await stat(folder)
    const bit = found.uid === uid ? 0o100 : found.gid === gid ? 0o010 : 0o001
    if (found.mode & bit) continue
    if (ours === undefined || !isWithin(folder, ours)) throw failures.POSTGRES_BLOCKED({ user: name, folder })
    // To its group alone where no group has it; else to everybody.
    const isFree = (found.mode & 0o070) === 0
    if (isFree) await chown(folder, found.uid, gid)
    await chmod(folder, (found.mode & 0o7777) | (isFree ? 0o010 : 0o001))
  }
}

function foldersTo(path: string): string[] {
  const folders: string[] = []
  for (let at = resolve(path); at !== dirname(at); at = dirname(at)) folders.unshift(dirname(at))
  return folders
}

const isWithin = (folder: string, ours: string): boolean => {
  const way = relative(resolve(ours), folder)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** Our own name, which the server knows us by on its socket. */
export const ownName = (): string => userInfo().username
