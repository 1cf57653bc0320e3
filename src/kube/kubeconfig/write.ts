import type { FileHandle } from 'node:fs/promises'
import { mkdir, open, realpath, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Random } from '../../core/random.ts'
import { failures } from './failures.ts'
import { codeOf, isMissing } from './files.ts'
import type { Kubeconfig } from './kubeconfig.ts'
import { formatKubeconfig } from './kubeconfig.ts'
import { withAbsolutePaths } from './merge.ts'

const privateFile = 0o600
const privateFolder = 0o700

/**
 * Writes a kubeconfig so that a reader, or a crash, meets the old file or the new one and never a part. Only its owner
 * may read it. Paths of entries that were read in another folder become absolute.
 */
export async function writeKubeconfig(path: string, config: Kubeconfig, { random }: { random: Random }): Promise<void> {
  const file = await targetOf(resolve(path))
  const folder = dirname(file)
  const text = formatKubeconfig(withAbsolutePaths(config, dirname(resolve(path)))).reveal()
  const temporary = join(folder, `.${basename(file)}.${random.suffix(8)}`)
  try {
    await mkdir(folder, { recursive: true, mode: privateFolder })
    await using handle = await open(temporary, 'wx', privateFile)
    await writeThrough(handle, text)
    await rename(temporary, file)
    await syncFolder(folder)
  } catch (error) {
    await unlink(temporary).catch(() => {})
    throw failures.KUBECONFIG_UNWRITABLE({ path: file, problem: codeOf(error) })
  }
}

/** A link stays a link: people keep ~/.kube/config in other places. */
async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (isMissing(error)) return path
    throw failures.KUBECONFIG_UNWRITABLE({ path, problem: codeOf(error) })
  }
}

async function writeThrough(handle: FileHandle, text: string): Promise<void> {
  await handle.writeFile(text)
  await handle.chmod(privateFile)
  await handle.sync()
}

/** The rename itself is on disk only once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}
