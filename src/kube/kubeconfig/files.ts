import { readFile } from 'node:fs/promises'
import { failures } from './failures.ts'

/** Reads a whole text file; rejects as `node:fs` does. Passed in, so that in-cluster files can be tested anywhere. */
export type ReadFile = (path: string) => Promise<string>

export const readTextFile: ReadFile = (path) => readFile(path, 'utf8')

/** The code of a file system error (`ENOENT`), the only part of it that is shown. */
export const codeOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'unknown error'
}

export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error))

/** Reads a file, with a failure from the catalogue in place of the error; undefined when there is none. */
export async function readIfThere(readFile: ReadFile, path: string): Promise<string | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw failures.KUBECONFIG_UNREADABLE({ path, problem: codeOf(error) })
  }
}

export async function readOrFail(readFile: ReadFile, path: string): Promise<string> {
  const text = await readIfThere(readFile, path)
  if (text === undefined) throw failures.KUBECONFIG_UNREADABLE({ path, problem: 'it does not exist' })
  return text
}
