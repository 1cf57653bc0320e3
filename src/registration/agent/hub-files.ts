import { chmod, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Secret as SecretObject } from 'kubernetes-types/core/v1.d.ts'
import { replaceFile } from '../../core/replace-file.ts'
import { textOf } from '../../fleet/secret-texts.ts'
import { parseKubeconfig, selectContext } from '../../kube/kubeconfig/index.ts'

/** The keys of the Secret that are files as well. */
const fileKeys = ['tls.key', 'tls.crt', 'cluster-name', 'agent-name', 'kubeconfig'] as const

/**
 * The Secret as files, for programs that read a kubeconfig: files 0600, each replaced whole, in a folder that is 0700 where
 * it was made here and left as it is where it was there. The key comes
 * before its certificate and the kubeconfig last, so that whoever waits for the kubeconfig finds the others. Files of
 * keys that are gone stay, but for a certificate and its key that the kubeconfig does not name any more. Calls are done
 * one after the other.
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
    if (isWithoutPair(data)) for (const key of pair) await rm(join(dir, key), { force: true })
  }
  return (secret) => {
    const next = last.then(() => write(secret))
    last = next.catch(() => {})
    return next
  }
}

const pair = ['tls.crt', 'tls.key'] as const

/** As after a join by other means than a certificate. One that is only half written still names its pair. */
function isWithoutPair(data: Record<string, string>): boolean {
  const kubeconfig = textOf(data, 'kubeconfig')
  if (kubeconfig === undefined || pair.some((key) => data[key] !== undefined)) return false
  try {
    const { user } = selectContext(parseKubeconfig(kubeconfig, { name: 'the kept kubeconfig' }), undefined, 'it')
    return user?.value.exec !== undefined
  } catch {
    return false
  }
}

const contentOf = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)
