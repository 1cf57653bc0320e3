import { readdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { replaceFile } from '../core/replace-file.ts'
import { failures } from './failures.ts'

/** Where break glass keeps what belongs to it, below the data folder. */
export const accessFolder = (data: string): string => join(resolve(data), 'access')
/** Says where the hub of this data folder is to be found, and who vouches for it. */
export const accessServerFileIn = (data: string): string => join(accessFolder(data), 'server.json')

export interface AccessServerFile {
  url: string
  /** PEM. */
  ca: string
}

/** Who somebody is, as their identity provider said, and where that counts. Mode 0600: it holds tokens. */
export interface KeptLogin {
  server: string
  /** Who vouches for the server, PEM. Absent: the system. */
  ca?: string | undefined
  provider: KeptProvider
  /** What the hub is shown. */
  bearer: string
  /** RFC 3339. */
  expiresAt: string
  refreshToken?: string | undefined
}

export interface KeptProvider {
  name: string
  issuer: string
  clientId: string
  audience: string
  /** Who vouches for it, PEM. Absent: the system. */
  ca?: string | undefined
}

export const defaultLogin = 'default'
const nameRule = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/

function pathOf(data: string, name: string): string {
  if (!nameRule.test(name)) throw failures.ACCESS_LOGIN_NAME({ name })
  return join(accessFolder(data), 'logins', `${name}.json`)
}

export async function readLogin(data: string, name: string): Promise<KeptLogin | undefined> {
  return (await readJson(pathOf(data, name))) as KeptLogin | undefined
}

export const keepLogin = (data: string, name: string, login: KeptLogin): Promise<void> =>
  replaceFile(pathOf(data, name), `${JSON.stringify(login, null, 2)}\n`)

/** Whether there was one. */
export async function forgetLogin(data: string, name: string): Promise<boolean> {
  const found = await readLogin(data, name)
  await rm(pathOf(data, name), { force: true })
  return found !== undefined
}

export async function loginNames(data: string): Promise<string[]> {
  const found = await readdir(join(accessFolder(data), 'logins')).catch(() => [])
  return found.flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : [])).sort()
}

export async function readAccessServer(data: string): Promise<AccessServerFile | undefined> {
  return (await readJson(accessServerFileIn(data))) as AccessServerFile | undefined
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch (error) {
    throw failures.ACCESS_LOGIN_DAMAGED({ path }, error)
  }
}
