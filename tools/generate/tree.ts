import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Folders in which a file that carries the marker belongs to the generator. */
const folders = ['deploy/crds', 'docs/reference']
const sign = 'Written by `npm run generate` from '

/** The first line of every generated file says so; by it a stale one is told from a page that people write. */
export const marker = (source: string): string => `${sign}${source}; edit that instead.`

export interface Difference {
  path: string
  what: string
}

/** How the tree differs from what would be written; nothing is touched. */
export function compareTree(root: string, files: ReadonlyMap<string, string>): Difference[] {
  const wrong = [...files].flatMap(([path, text]): Difference[] => {
    const place = join(root, path)
    if (!existsSync(place)) return [{ path: place, what: 'is missing' }]
    return readFileSync(place, 'utf8') === text ? [] : [{ path: place, what: 'is not what src/ declares' }]
  })
  return [
    ...wrong,
    ...stale(root, files).map((path) => ({ path, what: 'is stale: nothing in src/ declares it any more' })),
  ]
}

/** Makes the tree what it should be and tells what changed. */
export function writeTree(root: string, files: ReadonlyMap<string, string>): Difference[] {
  const differences = compareTree(root, files)
  for (const path of stale(root, files)) rmSync(path)
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return differences.map(({ path }) => ({ path, what: existsSync(path) ? 'written' : 'removed' }))
}

function stale(root: string, files: ReadonlyMap<string, string>): string[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((path) => !files.has(path) && /\.(md|ya?ml)$/.test(path))
    .map((path) => join(root, path))
    .filter((path) => readFileSync(path, 'utf8').slice(0, 200).includes(sign))
    .sort()
}
