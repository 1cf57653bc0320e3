import { randomBytes } from 'node:crypto'
import { chmod, link, readFile, rm, writeFile } from 'node:fs/promises'
import { Secret } from '../../core/secret.ts'
import type { Authenticator } from './contract.ts'

/** Of whoever can read the file, which is this user alone: everything is allowed. */
export const localAuthenticator =
  (expected: Secret): Authenticator =>
  async (token) =>
    expected.reveal() !== '' && token.equals(expected)
      ? { identity: { name: 'local', kind: 'local', claims: {} } }
      : undefined

/** The token of this installation, made on first use. Nobody else on this machine can read it. */
export async function openLocalToken(path: string): Promise<Secret> {
  // Written whole beside its place and linked there: of two processes that start at once, both get the same.
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    await chmod(path, 0o600)
  } finally {
    await rm(draft, { force: true })
  }
  return Secret.of((await readFile(path, 'utf8')).trim())
}
