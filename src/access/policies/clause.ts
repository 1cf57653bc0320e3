import type { PolicyRequest } from './contract.ts'
import { isKnownNamespaced } from './kind-scopes.ts'
import type { Fit, Labels, NamespaceMatcher } from './namespace-filter.ts'
import { isOfAllNamespaces } from './rule-index.ts'

/** One thing that a policy refuses, by what the request says and at most the labels of its namespace. */
export interface Clause {
  fits(request: PolicyRequest): Fit
  /** Asked where `fits` said that labels decide. */
  byLabels(labels: Labels): boolean
  /** For people. */
  because(request: PolicyRequest): string
}

/** A set of words in which `*` stands for all. */
export function among(words: readonly string[]): (word: string) => boolean {
  if (words.includes('*')) return () => true
  const known = new Set(words)
  return (word) => known.has(word)
}

/** An empty list says nothing, as one that is absent. */
export const amongIfAny = (words: readonly string[] | undefined): ((word: string) => boolean) =>
  words === undefined || words.length === 0 ? () => true : among(words)

/** They connect to a running pod. */
const connecting: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward'])

/**
 * The verbs by which a rule may mean a request. kubectl reaches into a pod with a GET (WebSockets), older clients with a
 * POST (SPDY): a rule that forbids `create pods/exec` is for both. API servers before 1.35 ask for `get` alone.
 */
export function verbsOf(verb: string, resource: PolicyRequest['resource']): readonly string[] {
  const isConnecting = verb === 'get' && resource?.group === '' && resource.resource === 'pods'
  return isConnecting && connecting.has(resource.subresource) ? ['get', 'create'] : [verb]
}

interface Placed {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
  /** The rule names the resource; else it is for all of them. */
  readonly isNamed: boolean
}

/**
 * Where a request goes. API servers say of `get namespaces/prod` that it is in prod; of the list that a field selector
 * makes of that one object they say its name alone.
 */
export const namespaceOf = ({ group, resource, namespace, name }: Omit<Placed, 'verb' | 'isNamed'>): string =>
  namespace === '' && group === '' && resource === 'namespaces' ? name : namespace

/**
 * Namespaces keep what is in none out of a rule, but for a list of all namespaces: it shows what is in theirs too. A list
 * of a kind that is in no namespace looks just the same, so where the rule says `*` the kind decides.
 */
export function fitOfNamespace(namespaces: NamespaceMatcher | undefined, placed: Placed): Fit {
  const { verb, group, resource, namespace, isNamed } = placed
  if (!namespaces) return 'yes'
  if (namespace !== '') return namespaces.byName(namespace)
  if (!isOfAllNamespaces(verb, namespace)) return 'no'
  const own = namespaceOf(placed)
  if (own !== '' && !isNamed) return namespaces.byName(own)
  const isNamespaced = isNamed || isKnownNamespaced(group, resource)
  if (isNamespaced === undefined) return 'scope'
  return isNamespaced ? 'yes' : 'no'
}

/** `delete secrets/db in namespace prod`. */
export function told({ verb, resource, path }: PolicyRequest): string {
  if (!resource) return `${verb} ${path ?? ''}`
  const { group, resource: kind, subresource, namespace, name } = resource
  const what = [`${kind}${group === '' ? '' : `.${group}`}`, name, subresource].filter((part) => part !== '').join('/')
  return `${verb} ${what}${namespace === '' ? '' : ` in namespace ${namespace}`}`
}
