import type { NamespaceMatcher } from './namespace-filter.ts'
import { PrefixIndex, push } from './prefix-index.ts'

/** What a rule is found under. `*` in a list stands for all there are. */
export interface RuleKeys {
  readonly groups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  readonly namespaces: NamespaceMatcher | undefined
}

export interface RuleQuery {
  readonly group: string
  readonly resource: string
  readonly verb: string
  readonly namespace: string
}

interface Bucket<V> {
  readonly anywhere: V[]
  within?: PrefixIndex<V>
}
type ByVerb<V> = Map<string, Bucket<V>>
type ByResource<V> = Map<string, ByVerb<V>>

const all = '*'
/** They go for many objects at once. Without a namespace, those of every namespace are meant. */
const collectionVerbs: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection'])
export const isOfAllNamespaces = (verb: string, namespace: string): boolean =>
  namespace === '' && collectionVerbs.has(verb)

/** Rules by group, resource, verb and namespace: a look-up visits at most eight buckets, however many rules there are. */
export class RuleIndex<V> {
  readonly #groups = new Map<string, ByResource<V>>()

  /** A rule for whom exact keys would be more than `budget` is put under fewer and wider ones. */
  add(keys: RuleKeys, value: V, budget: number): void {
    const { groups, resources, verbs } = affordable(keys, budget)
    for (const group of groups)
      for (const resource of resources)
        for (const verb of verbs) {
          const bucket = this.#bucket(group, resource, verb)
          if (!keys.namespaces) bucket.anywhere.push(value)
          else bucket.within ??= new PrefixIndex<V>()
          for (const name of keys.namespaces?.names ?? []) bucket.within?.add(name, value)
        }
  }

  collect({ group, resource, verb, namespace }: RuleQuery, into: V[]): void {
    for (const byResource of pair(this.#groups, group)) {
      if (!byResource) continue
      for (const byVerb of pair(byResource, resource)) {
        if (!byVerb) continue
        for (const bucket of pair(byVerb, verb)) {
          if (!bucket) continue
          push(bucket.anywhere, into)
          if (namespace !== '') bucket.within?.collect(namespace, into)
          else if (isOfAllNamespaces(verb, namespace)) bucket.within?.collectAll(into)
        }
      }
    }
  }

  #bucket(group: string, resource: string, verb: string): Bucket<V> {
    const byResource = made(this.#groups, group, () => new Map() as ByResource<V>)
    const byVerb = made(byResource, resource, () => new Map() as ByVerb<V>)
    return made(byVerb, verb, () => ({ anywhere: [] }) as Bucket<V>)
  }
}

const pair = <V>(map: ReadonlyMap<string, V>, key: string): readonly (V | undefined)[] =>
  key === all ? [map.get(all)] : [map.get(key), map.get(all)]

function made<V>(map: Map<string, V>, key: string, make: () => V): V {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}

/** Whatever finds a rule asks it again in full, so that wider keys cost time and nothing else. */
function affordable(keys: RuleKeys, budget: number): Record<'groups' | 'resources' | 'verbs', readonly string[]> {
  const [groups, resources, verbs] = [keys.groups, keys.resources, keys.verbs].map(wordsOf) as [
    readonly string[],
    readonly string[],
    readonly string[],
  ]
  if (groups.length * resources.length * verbs.length <= budget) return { groups, resources, verbs }
  if (groups.length * resources.length <= budget) return { groups, resources, verbs: [all] }
  return { groups: [all], resources: resources.length <= budget ? resources : [all], verbs: [all] }
}

/** Each once; beside `*` nothing else says anything. */
export const wordsOf = (words: readonly string[]): readonly string[] =>
  words.includes(all) ? [all] : [...new Set(words)]
