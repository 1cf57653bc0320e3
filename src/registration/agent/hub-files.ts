import { chmod, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Secret as SecretObject } from 'kubernetes-types/core/v1.d.ts'
import { replaceFile } from '../../core/replace-file.ts'
import { textOf } from '../../fleet/secret-texts.ts'
import { fileKeys } from './hub-secret.ts'

/**
 * The Secret as files, for programs that read a kubeconfig: files 0600, each replaced whole, in a folder that is 0700 where
 * it was made here and left as it is where it was there. The key comes
 * before its certificate and the kubeconfig last, so that whoever waits for the kubeconfig finds the others. Files of
 * keys that are gone stay. Calls are done one after the other.
 */
export function hubFiles(dir: string): (secret: SecretObject) => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  const write = async ({ data = {} }: SecretObject): Promise<void> => {
    const made = await mkdir(dir, { recursive: true, mode: 0o700 })
    // A folder of somebody else, such as a mounted volume, is not ours to change, and mostly we may not.
    if (made !== undefined) await chmod(dir, 0o700)
    for (const key of fileKeys) {
      const text = textOf(data, key)
      const path = join(dir, key)
      if (text !== undefined && text !== (await contentOf(path))) await replaceFile(path, text)
    }
  }
  return (secret) => {
    const next = last.then(() => write(secret))
    last = next.catch(() => {})
    return next
  }
}

const contentOf = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)
