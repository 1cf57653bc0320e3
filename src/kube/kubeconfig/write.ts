import { realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { replaceFile } from '../../core/replace-file.ts'
import { failures } from './failures.ts'
import { codeOf, isMissing } from './files.ts'
import type { Kubeconfig } from './kubeconfig.ts'
import { formatKubeconfig } from './kubeconfig.ts'
import { withAbsolutePaths } from './merge.ts'

/**
 * Writes a kubeconfig so that a reader, or a crash, meets the old file or the new one and never a part. Only its owner
 * may read it. Paths of entries that were read in another folder become absolute.
 */
export async function writeKubeconfig(path: string, config: Kubeconfig): Promise<void> {
  const file = resolve(path)
  const text = formatKubeconfig(withAbsolutePaths(config, dirname(file)))
  try {
    await replaceFile(await linkedFile(file), text.reveal())
  } catch (error) {
    throw failures.KUBECONFIG_UNWRITABLE({ path: file, problem: codeOf(error) })
  }
}

/** A link stays a link: people keep ~/.kube/config in other places. */
async function linkedFile(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (isMissing(error)) return path
    throw error
  }
}
