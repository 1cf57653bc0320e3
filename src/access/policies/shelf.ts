import type { Clause } from './clause.ts'
import { verbsOf } from './clause.ts'
import type { PolicyRequest } from './contract.ts'
import { impersonationQueries } from './impersonation-rule.ts'
import type { PathKeys } from './path-rule.ts'
import { PathIndex } from './path-rule.ts'
import type { PodClause } from './pod-security.ts'
import { push } from './prefix-index.ts'
import type { RuleKeys } from './rule-index.ts'
import { RuleIndex } from './rule-index.ts'

/** One part of one policy, and where it is found. */
export interface Entry {
  /** Lower first. No two have the same. */
  readonly rank: number
  readonly policy: string
  /** Whether the policy is for the cluster and its tenant at all. */
  holdsIn(request: PolicyRequest): boolean
  readonly part: { readonly clause: Clause } | { readonly pods: PodClause }
  readonly found: Found
}

export type Found =
  | { readonly by: 'resource'; readonly keys: RuleKeys }
  | { readonly by: 'impersonation'; readonly keys: RuleKeys }
  | { readonly by: 'path'; readonly keys: PathKeys }
  | { readonly by: 'pod'; readonly subresources: readonly string[] }

/** Entries by what requests they can be about. */
export class Shelf {
  readonly #resources = new RuleIndex<Entry>()
  readonly #impersonation = new RuleIndex<Entry>()
  readonly #paths = new PathIndex<Entry>()
  readonly #pods = new Map<string, Entry[]>()

  /** `budget`: under how many keys one entry may be put. */
  add(entry: Entry, budget: number): void {
    const { found } = entry
    if (found.by === 'resource') this.#resources.add(found.keys, entry, budget)
    if (found.by === 'impersonation') this.#impersonation.add(found.keys, entry, budget)
    if (found.by === 'path') this.#paths.add(found.keys, entry)
    if (found.by === 'pod')
      for (const subresource of new Set(found.subresources)) {
        const under = this.#pods.get(subresource)
        if (under) under.push(entry)
        else this.#pods.set(subresource, [entry])
      }
  }

  /** All that can be about the request, in no order; some of them perhaps twice. */
  collect(request: PolicyRequest, into: Entry[]): void {
    const { verb, resource, path } = request
    if (resource) {
      const { group, resource: kind, namespace } = resource
      for (const word of verbsOf(verb, resource))
        this.#resources.collect({ group, resource: kind, verb: word, namespace }, into)
      this.collectPods(request, into)
    } else if (path !== undefined) this.#paths.collect(verb, path, into)
    for (const query of impersonationQueries(request)) this.#impersonation.collect(query, into)
  }

  /** Of these, those that look at the pod. */
  collectPods({ resource }: PolicyRequest, into: Entry[]): void {
    if (resource?.resource !== 'pods' || resource.group !== '' || this.#pods.size === 0) return
    push(this.#pods.get(resource.subresource), into)
    if (resource.subresource !== '*') push(this.#pods.get('*'), into)
  }
}
