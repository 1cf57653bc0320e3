/** Finds the programs that are there. Builds nothing and needs no Go, so that tests may import it. */
import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Env } from './cache.ts'
import { assetKey, cacheRoot, goPlatform } from './cache.ts'
import type { AssetName } from './versions.ts'
import { assetNames, pins } from './versions.ts'

export interface Assets {
  /**
   * `$KUBEBUILDER_ASSETS` when it holds all that was asked for, else the cache folder. When the two complete each
   * other no single folder has everything: ask `path`.
   */
  dir: string
  /** Absolute path of a program. Throws when it is not there, which it is for every name that was asked for. */
  path(name: AssetName): string
}

export const modulesDir = join(import.meta.dirname, 'modules')

/** Contents of every file under `modules/`, by path from there. */
export function readModuleFiles(): Record<string, string> {
  const files = readdirSync(modulesDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path.slice(modulesDir.length + 1), readFileSync(path, 'utf8')]
    }),
  )
}

/** The cache folder of the present pins on this platform, there or not. */
export function assetsDir(env: Env): string {
  const platform = goPlatform(process.platform, process.arch)
  const key = assetKey({ pins, moduleFiles: readModuleFiles(), platform })
  return join(cacheRoot(env, homedir()), 'kube-assets', key)
}

const givenDir = (env: Env): string | undefined =>
  env.KUBEBUILDER_ASSETS ? resolve(env.KUBEBUILDER_ASSETS) : undefined

/** The programs on hand. Undefined when one of `names` is missing; `ensureAssets` then builds it. */
export function findAssets(env: Env, names: readonly AssetName[] = assetNames): Assets | undefined {
  const found = locate(env)
  return names.every((name) => found.has(name)) ? assetsFrom(found, env, names) : undefined
}

/** The path of every program on hand: from `$KUBEBUILDER_ASSETS` first, then from the cache. */
export function locate(env: Env): Map<AssetName, string> {
  const given = givenDir(env)
  const folders = given === undefined ? [assetsDir(env)] : [given, assetsDir(env)]
  const found = new Map<AssetName, string>()
  for (const name of assetNames) {
    const path = folders.map((folder) => join(folder, name)).find(isProgram)
    if (path !== undefined) found.set(name, path)
  }
  return found
}

function assetsFrom(found: ReadonlyMap<AssetName, string>, env: Env, names: readonly AssetName[]): Assets {
  const given = givenDir(env)
  const allGiven = given !== undefined && names.every((name) => found.get(name) === join(given, name))
  return {
    dir: allGiven ? given : assetsDir(env),
    path(name) {
      const path = found.get(name)
      if (path === undefined) throw new Error(`${name} is not built; run: npm run kube-assets -- --only ${name}`)
      return path
    },
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
