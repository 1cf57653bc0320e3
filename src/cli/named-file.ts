import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { failures } from './failures.ts'

/** Files that flags name. What goes wrong is told with the name of the flag. */

export async function readNamed(path: string, flag: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw failures.FILE_UNREADABLE({ path, flag, detail: (error as NodeJS.ErrnoException).code }, error)
  }
}

/** `-` is standard input: a secret must not be an argument, which others on the machine can read. */
export const readNamedOrInput = (path: string, flag: string): Promise<string> =>
  path === '-' ? text(process.stdin) : readNamed(path, flag)

export async function certificateFile(path: string, flag: string): Promise<string> {
  const pem = await readNamed(path, flag)
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw failures.CA_UNREADABLE({ path, flag })
  return pem
}
