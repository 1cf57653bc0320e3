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

/**
 * A rule of a megabyte stands for more single rights than memory could hold, and the API server answers nobody while it
 * compares them. So a check makes at most so many comparisons, and lists at most so many missing rights, of so much text.
 */
const mostCompared = 3_000_000
const mostMissing = 1_000
const mostMissingText = 64 * 1024

export interface MissingRights {
  readonly missing: readonly SingleRule[]
  /** There are more rights in it than are looked at, or more that are missing than are told. */
  readonly isCutOff: boolean
}

/** What of `wanted` is granted by no single rule of `held`. Rights are only added up where a rule can be taken apart. */
export function missingRights(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): MissingRights {
  const owned = held.map(coverage)
  const missing: SingleRule[] = []
  let compared = 0
  let text = 0
  for (const rule of wanted) {
    compared += owned.length + sizeOf(rule)
    if (compared > mostCompared) return { missing, isCutOff: true }
    if (owned.some((one) => coversWhole(one, rule))) continue
    for (const right of singleRules(rule)) {
      compared += owned.length + 1
      if (compared > mostCompared || missing.length === mostMissing) return { missing, isCutOff: true }
      if (owned.some((one) => covers(one, right))) continue
      text += textOf(right)
      if (text > mostMissingText) return { missing, isCutOff: true }
      missing.push(right)
    }
  }
  return { missing, isCutOff: false }
}

const sizeOf = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number =>
  [verbs, apiGroups, resources, resourceNames, nonResourceURLs].reduce((sum, list) => sum + (list?.length ?? 0), 0)

const textOf = (right: SingleRule): number => Object.values(right).reduce((sum: number, part) => sum + part.length, 0)

function* singleRules(rule: PolicyRule): Generator<SingleRule> {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const names = resourceNames.length > 0 ? resourceNames.map((name) => ({ name })) : [{}]
  for (const group of apiGroups)
    for (const resource of resources)
      for (const verb of verbs) for (const name of names) yield { verb, group, resource, ...name }
  for (const path of nonResourceURLs) for (const verb of verbs) yield { verb, path }
}

/** A rule that is held, as questions that cost the same however long its lists are. */
interface Coverage {
  verb(verb: string): boolean
  group(group: string): boolean
  resource(resource: string): boolean
  /** Undefined: a right that names no object. */
  name(name: string | undefined): boolean
  path(path: string): boolean
}

function coverage({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): Coverage {
  const anyOf = (list: readonly string[] = []) => {
    const known = new Set(list)
    return (value: string) => known.has('*') || known.has(value)
  }
  const ofResource = anyOf(resources)
  const names = new Set(resourceNames)
  return {
    verb: anyOf(verbs),
    group: anyOf(apiGroups),
    resource(resource) {
      const slash = resource.indexOf('/')
      return ofResource(resource) || (slash >= 0 && ofResource(`*${resource.slice(slash)}`))
    },
    name: (name) => names.size === 0 || (name !== undefined && names.has(name)),
    path: (path) => nonResourceURLs?.some((pattern) => coversPath(pattern, path)) ?? false,
  }
}

const covers = (held: Coverage, { verb, group, resource, name, path }: SingleRule): boolean =>
  held.verb(verb) &&
  (group === undefined || held.group(group)) &&
  (resource === undefined || held.resource(resource)) &&
  held.name(name) &&
  (path === undefined || held.path(path))

/** All of a rule by one that is held, without taking it apart. */
function coversWhole(held: Coverage, rule: PolicyRule): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const isOnResources = apiGroups.length > 0 && resources.length > 0
  const coversNames = resourceNames.length > 0 ? resourceNames.every((name) => held.name(name)) : held.name(undefined)
  return (
    verbs.every((verb) => held.verb(verb)) &&
    (!isOnResources || (apiGroups.every(held.group) && resources.every(held.resource) && coversNames)) &&
    (nonResourceURLs.length === 0 || (held.name(undefined) && nonResourceURLs.every(held.path)))
  )
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
