import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { goQuote } from '../go-quote.ts'
import { coversPath } from './rule-match.ts'

/** A rule about one thing: one verb on one resource (of one name), or on one path. */
interface SingleRule {
  readonly verb: string
  readonly group?: string
  readonly resource?: string
  readonly name?: string
  readonly path?: string
}

/** What of `wanted` is granted by no single rule of `held`. Rights are only added up where a rule can be taken apart. */
export function missingRights(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): SingleRule[] {
  return wanted.flatMap(singleRules).filter((rule) => !held.some((owned) => covers(owned, rule)))
}

function singleRules(rule: PolicyRule): SingleRule[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const onResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        resourceNames.length > 0
          ? resourceNames.map((name) => ({ verb, group, resource, name }))
          : [{ verb, group, resource }],
      ),
    ),
  )
  const onPaths = nonResourceURLs.flatMap((path) => verbs.map((verb) => ({ verb, path })))
  return [...onResources, ...onPaths]
}

function covers(held: PolicyRule, { verb, group, resource, name, path }: SingleRule): boolean {
  const names = held.resourceNames ?? []
  return (
    includes(held.verbs, verb) &&
    (group === undefined || includes(held.apiGroups, group)) &&
    (resource === undefined || coversResource(held.resources ?? [], resource)) &&
    (names.length === 0 || (name !== undefined && names.includes(name))) &&
    (path === undefined || (held.nonResourceURLs?.some((pattern) => coversPath(pattern, path)) ?? false))
  )
}

const includes = (list: readonly string[] | undefined, value: string): boolean =>
  list?.some((item) => item === '*' || item === value) ?? false

function coversResource(held: readonly string[], resource: string): boolean {
  if (includes(held, resource)) return true
  const slash = resource.indexOf('/')
  return slash >= 0 && held.includes(`*${resource.slice(slash)}`)
}

/** One line a thing that is missing, its verbs together, in the order of the text. */
export function describeRights(rules: readonly SingleRule[]): string[] {
  const verbsOf = new Map<string, string[]>()
  for (const { verb, path, ...thing } of rules) {
    const about = path === undefined ? aboutResource(thing) : `NonResourceURLs:${goList([path])}`
    // Verbs on a path stand alone, as Kubernetes tells them.
    const key = path === undefined ? about : `${about}\n${verb}`
    const verbs = verbsOf.get(key)
    if (verbs) verbs.push(verb)
    else verbsOf.set(key, [verb])
  }
  const lines = [...verbsOf].map(([key, verbs]) => `{${key.split('\n', 1)[0]}, Verbs:${goList(verbs)}}`)
  return [...new Set(lines)].sort()
}

const aboutResource = ({ group = '', resource = '', name }: Omit<SingleRule, 'verb' | 'path'>): string =>
  `APIGroups:${goList([group])}, Resources:${goList([resource])}${name === undefined ? '' : `, ResourceNames:${goList([name])}`}`

/** `["a" "b"]`, as Go prints lists of strings. */
export const goList = (items: readonly string[]): string => `[${items.map((item) => goQuote(item)).join(' ')}]`
