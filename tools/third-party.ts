import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The folders of packages that went into a bundle, from the paths of its inputs. */
export function bundledPackages(inputs: readonly string[]): string[] {
  const folders = inputs.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  return [...new Set(folders)].sort()
}

/** Name, version and licence text of each, as their licences ask for in copies. */
export async function thirdPartyNotice(root: string, folders: readonly string[]): Promise<string> {
  const parts = folders.map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'))
    const file = (await readdir(join(root, folder))).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file ? await readFile(join(root, folder, file), 'utf8') : `Licence: ${license}`
    return `${name} ${version}\n${'='.repeat(72)}\n${text.trim()}\n`
  })
  return `What this bundle holds of other projects.\n\n${(await Promise.all(parts)).join('\n\n')}`
}
