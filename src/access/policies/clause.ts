import type { PolicyRequest } from './contract.ts'
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

/**
 * Namespaces keep what is in none out of a rule, but for a list of all namespaces: it shows what is in theirs too. Where
 * the rule names the resource that is listed, it is refused. Rejected: to refuse it also where the rule says `*`,
 * because lists of what is in no namespace look just the same.
 */
export function fitOfNamespace(
  namespaces: NamespaceMatcher | undefined,
  { verb, namespace, isNamed }: { verb: string; namespace: string; isNamed: boolean },
): Fit {
  if (!namespaces) return 'yes'
  if (namespace !== '') return namespaces.byName(namespace)
  return isNamed && isOfAllNamespaces(verb, namespace) ? 'yes' : 'no'
}

/** `delete secrets/db in namespace prod`. */
export function told({ verb, resource, path }: PolicyRequest): string {
  if (!resource) return `${verb} ${path ?? ''}`
  const { group, resource: kind, subresource, namespace, name } = resource
  const what = [`${kind}${group === '' ? '' : `.${group}`}`, name, subresource].filter((part) => part !== '').join('/')
  return `${verb} ${what}${namespace === '' ? '' : ` in namespace ${namespace}`}`
}
