import type { Kube } from '../../src/kube/kube.ts'
import { furtherKinds, groupPath, served } from './served.ts'

interface Definition {
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[]
  [keyword: string]: unknown
}

const kept = [
  '$ref',
  'type',
  'format',
  'nullable',
  'default',
  'enum',
  'required',
  'properties',
  'items',
  'additionalProperties',
  'oneOf',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-list-type',
  'x-kubernetes-map-type',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-unions',
]
const dropped = ['description', 'example', 'examples', 'title', 'x-kubernetes-group-version-kind']

/** `kinds` by `apiVersion/kind` lead to a name in `definitions`, which hold no more than these kinds need. */
export async function schemas(kube: Kube, kinds: ReadonlySet<string>) {
  const all = new Map<string, Definition>()
  for (const apiVersion of Object.keys(served)) {
    const path = `/openapi/v3${groupPath(apiVersion)}`
    const document = await kube.request<{ components: { schemas: Record<string, Definition> } }>({ path })
    for (const [name, definition] of Object.entries(document.components.schemas)) all.set(name, definition)
  }
  const wanted = new Map<string, string>()
  for (const [name, definition] of all)
    for (const { group, version, kind } of definition['x-kubernetes-group-version-kind'] ?? []) {
      const key = `${group === '' ? version : `${group}/${version}`}/${kind}`
      if (kinds.has(key) || furtherKinds.includes(key)) wanted.set(key, name)
    }
  const missing = [...kinds, ...furtherKinds].filter((key) => !wanted.has(key))
  if (missing.length > 0) throw new Error(`no schema for ${missing.join(', ')}`)
  return { kinds: sorted(wanted), definitions: sorted(reachable(all, wanted.values())) }
}

function reachable(all: ReadonlyMap<string, Definition>, roots: Iterable<string>): Map<string, unknown> {
  const found = new Map<string, unknown>()
  const waiting = [...roots]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue
    const refersTo = (other: string) => void waiting.push(other)
    found.set(name, trimmed(all.get(name) ?? {}, refersTo))
    // Go unmarshals these by hand, so OpenAPI does not say what is in them.
    if (name.includes('.JSONSchemaPropsOr')) refersTo(name.replace(/Or\w+$/, ''))
  }
  return found
}

/** In a stable order, without what is for people. An `allOf` that only wraps a reference becomes that reference. */
function trimmed(schema: Record<string, unknown>, refersTo: (name: string) => void): Record<string, unknown> {
  const { allOf, ...rest } = schema
  const own = Array.isArray(allOf) ? { ...rest, ...allOf[0] } : rest
  const unknown = Object.keys(own).filter((keyword) => !kept.includes(keyword) && !dropped.includes(keyword))
  if (unknown.length > 0 || (Array.isArray(allOf) && allOf.length > 1))
    throw new Error(`cannot tell what to do with ${unknown.join(', ') || 'an allOf of several'}`)
  const entries = kept.flatMap((keyword): [string, unknown][] => {
    const value = own[keyword]
    if (value === undefined) return []
    if (keyword === '$ref') {
      const name = String(value).replace('#/components/schemas/', '')
      refersTo(name)
      return [[keyword, name]]
    }
    if (keyword === 'properties')
      return [[keyword, Object.fromEntries(entriesOf(value).map(([name, of]) => [name, trimmed(of, refersTo)]))]]
    if ((keyword === 'items' || keyword === 'additionalProperties') && typeof value === 'object')
      return [[keyword, trimmed(value as Record<string, unknown>, refersTo)]]
    return [[keyword, value]]
  })
  return Object.fromEntries(entries)
}

const entriesOf = (value: unknown) => Object.entries(value as Record<string, Record<string, unknown>>)

const sorted = <T>(map: ReadonlyMap<string, T>): Record<string, T> =>
  Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)))
