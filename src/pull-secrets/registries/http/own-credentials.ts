import { readFile } from 'node:fs/promises'
import { Secret } from '../../../core/secret.ts'
import { fileVersion } from './file-version.ts'

/** By what the service itself is let in at a registry. Names of files, never values. */
export interface OwnAuth {
  /** A bearer token. */
  tokenFile?: string
  /** With `passwordFile`: basic credentials. */
  username?: string
  passwordFile?: string
  certFile?: string
  keyFile?: string
  caFile?: string
}

export interface OwnCredentials {
  /** The Authorization header; undefined where none is configured. */
  header?: Secret
  /** Changes with the files, those of the certificate included. */
  version: string
}

/** Looks at the files at each call and reads them again when they have changed. Rejects when they cannot be read. */
export function ownCredentials(auth: OwnAuth = {}): () => Promise<OwnCredentials> {
  const { tokenFile, username, passwordFile, certFile, keyFile } = auth
  const files = [tokenFile, passwordFile, certFile, keyFile].filter((file) => file !== undefined)
  let known: OwnCredentials | undefined
  return async () => {
    const version = await fileVersion(files)
    if (known?.version === version) return known
    const header = await authorization(tokenFile, username, passwordFile)
    known = { version, ...(header && { header }) }
    return known
  }
}

async function authorization(tokenFile?: string, username?: string, passwordFile?: string) {
  if (tokenFile !== undefined) return Secret.of(`Bearer ${await firstLine(tokenFile)}`)
  if (passwordFile === undefined) return undefined
  return basic(username ?? '', Secret.of(await firstLine(passwordFile)))
}

export const basic = (username: string, password: Secret): Secret =>
  Secret.of(`Basic ${Buffer.from(`${username}:${password.reveal()}`, 'utf8').toString('base64')}`)

/** What follows a line break would otherwise be refused by Node with a message that quotes the header. */
async function firstLine(file: string): Promise<string> {
  const line = (await readFile(file, 'utf8')).trim().split(/\r?\n/, 1)[0] ?? ''
  if (!/^[\x20-\x7e]+$/.test(line)) throw new Error(`${file} holds nothing that can be sent`)
  return line
}
