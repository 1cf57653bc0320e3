import type { DenyRule } from '../../apis/breakglass/deny-rule-fields.ts'
import type { Clause } from './clause.ts'
import { among, told } from './clause.ts'
import type { Glob } from './glob.ts'
import { PrefixIndex } from './prefix-index.ts'
import { wordsOf } from './rule-index.ts'

export interface PathKeys {
  readonly verbs: readonly string[]
  readonly paths: readonly Glob[]
}

/** The part of a rule that is about paths which are no resources. Undefined: it has none. */
export function pathRule({ verbs, nonResourceURLs = [] }: DenyRule): { clause: Clause; keys: PathKeys } | undefined {
  if (verbs.length === 0 || nonResourceURLs.length === 0) return undefined
  const paths = nonResourceURLs.map(pathPattern)
  const fitsVerb = among(verbs)
  const clause: Clause = {
    fits: ({ verb, resource, path }) =>
      !resource && path !== undefined && fitsVerb(verb) && paths.some(({ fits }) => fits(path)) ? 'yes' : 'no',
    byLabels: () => true,
    because: (request) => `nobody may ${told(request)}`,
  }
  return { clause, keys: { verbs, paths } }
}

/** A star at the end stands for whatever follows; elsewhere it stands for itself, as in RBAC. */
function pathPattern(url: string): Glob {
  const prefix = url.endsWith('*') ? url.slice(0, -1) : undefined
  if (prefix === undefined) return { prefix: url, isLiteral: true, fits: (path) => path === url }
  return { prefix, isLiteral: false, fits: (path) => path.startsWith(prefix) }
}

/** Rules on paths, by verb and by how the path begins. */
export class PathIndex<V> {
  readonly #byVerb = new Map<string, PrefixIndex<V>>()

  add({ verbs, paths }: PathKeys, value: V): void {
    for (const verb of wordsOf(verbs)) {
      const index = this.#byVerb.get(verb) ?? new PrefixIndex<V>()
      this.#byVerb.set(verb, index)
      for (const path of paths) index.add(path, value)
    }
  }

  collect(verb: string, path: string, into: V[]): void {
    this.#byVerb.get(verb)?.collect(path, into)
    if (verb !== '*') this.#byVerb.get('*')?.collect(path, into)
  }
}
