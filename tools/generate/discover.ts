import { globSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AnyCustomResource } from '../../src/apis/declare.ts'
import { isCustomResource } from '../../src/apis/declare.ts'
import type { ConfigSchema } from '../../src/core/config.ts'
import { entries } from '../../src/core/failure.ts'
import { meanings } from '../../src/core/reason.ts'

/** What a folder of src/ declares, with the folder's name: `core`, `registration/drivers/csr`. */
export interface InArea<T> {
  area: string
  /** The file it was found in, from the root. */
  source: string
  declared: T
}

export interface Declarations {
  resources: InArea<AnyCustomResource>[]
  failures: InArea<Readonly<Record<string, readonly [status: number, sentence: string]>>>[]
  reasons: InArea<Readonly<Record<string, string>>>[]
  configs: InArea<ConfigSchema>[]
}

/** Catalogues are found by the name of their file, resources by what a file of src/apis exports. */
export async function discover(root: string): Promise<Declarations> {
  return {
    resources: await fromFiles(root, 'src/apis/*/**/*.ts', (module) => Object.values(module).filter(isCustomResource)),
    failures: await fromFiles(root, 'src/**/failures.ts', (module) => [member(module, 'failures', entries)]),
    reasons: await fromFiles(root, 'src/**/reasons.ts', (module) => [member(module, 'reasons', meanings)]),
    configs: await fromFiles(root, 'src/**/config-schema.ts', (module) => [member(module, 'configSchema')]),
  }
}

type Module = Record<string, unknown>

async function fromFiles<T>(root: string, pattern: string, pick: (module: Module) => T[]): Promise<InArea<T>[]> {
  const found: InArea<T>[] = []
  const sources = globSync(pattern, { cwd: root }).filter((source) => !source.endsWith('.test.ts'))
  for (const source of sources.sort()) {
    const module: Module = await import(pathToFileURL(join(root, source)).href)
    try {
      const area = relative('src', dirname(source))
      for (const declared of pick(module)) found.push({ area, source, declared })
    } catch (error) {
      throw new Error(`${source} ${error instanceof Error ? error.message : error}`)
    }
  }
  return found
}

function member<T>(module: Module, name: string, key?: symbol): T {
  const exported = module[name]
  if (typeof exported !== 'object' || exported === null) throw new Error(`must export \`${name}\``)
  const declared: unknown = key ? Reflect.get(exported, key) : exported
  if (declared === undefined) throw new Error(`must make \`${name}\` with its catalogue function`)
  return declared as T
}
