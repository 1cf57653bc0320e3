import type { DenyPolicy, DenyPolicySpec } from '../../apis/breakglass/deny-policy.ts'
import type { Stored } from '../../kube/objects.ts'
import type { PolicyRequest } from './contract.ts'
import { impersonationRule } from './impersonation-rule.ts'
import { pathRule } from './path-rule.ts'
import { podClause } from './pod-security.ts'
import { resourceRule } from './resource-rule.ts'
import { wordsOf } from './rule-index.ts'
import type { Scope } from './scopes.ts'
import type { Entry } from './shelf.ts'
import { Shelf } from './shelf.ts'

export interface CompiledPolicy {
  readonly name: string
  readonly scope: Scope
  /** Undefined: it is for everybody. `*` alone: for what any session grants. */
  readonly sessions: readonly string[] | undefined
  readonly entries: readonly Entry[]
  /** Under how many keys one of its entries may be put. */
  readonly budget: number
  /** Of its entries alone, for sessions that name it. Made when first needed: most are never. */
  shelf(): Shelf
}

/** More than the parts that a policy can have. */
const ranksEach = 1_000
/** Keys for a whole policy. What would take more is found under wider ones: no policy may cost the hub its memory. */
const mostKeys = 20_000
const fewestKeys = 16

/** `order`: its place among all, by precedence. Parts are in the order rules, impersonation, pods. */
export function compiledPolicy({ metadata: { name }, spec }: Stored<DenyPolicy>, order: number): CompiledPolicy {
  const scope = { clusters: given(spec.appliesTo?.clusters), tenants: given(spec.appliesTo?.tenants) }
  const parts = partsOf(spec)
  const holdsIn = holding(scope)
  const entries = parts.map((part, at) => ({ ...part, rank: order * ranksEach + at, policy: name, holdsIn }))
  const places = (scope.clusters ?? scope.tenants ?? ['']).length
  const budget = Math.max(fewestKeys, Math.floor(mostKeys / (places * Math.max(1, parts.length))))
  let shelf: Shelf | undefined
  return {
    name,
    scope,
    sessions: sessionsOf(spec),
    entries,
    budget,
    shelf() {
      if (shelf) return shelf
      shelf = new Shelf()
      for (const entry of entries) shelf.add(entry, budget)
      return shelf
    },
  }
}

type Part = Pick<Entry, 'part' | 'found'>

function partsOf({ rules = [], impersonationRules = [], podSecurityRules }: DenyPolicySpec): Part[] {
  const ordinary = rules.flatMap((rule): Part[] => {
    const [resource, path] = [resourceRule(rule), pathRule(rule)]
    return [
      ...(resource
        ? [{ part: { clause: resource.clause }, found: { by: 'resource' as const, keys: resource.keys } }]
        : []),
      ...(path ? [{ part: { clause: path.clause }, found: { by: 'path' as const, keys: path.keys } }] : []),
    ]
  })
  const impersonation = impersonationRules.map((rule): Part => {
    const { clause, keys } = impersonationRule(rule)
    return { part: { clause }, found: { by: 'impersonation', keys } }
  })
  const pods = podSecurityRules && podClause(podSecurityRules)
  return [
    ...ordinary,
    ...impersonation,
    ...(pods ? [{ part: { pods }, found: { by: 'pod' as const, subresources: pods.subresources } }] : []),
  ]
}

/** An empty list, and one with `*`, keep nothing out. */
function given(words: readonly string[] | undefined): readonly string[] | undefined {
  if (!words || words.length === 0 || words.includes('*')) return undefined
  return wordsOf(words)
}

function sessionsOf({ appliesTo: { sessions = [] } = {} }: DenyPolicySpec): readonly string[] | undefined {
  return sessions.length === 0 ? undefined : wordsOf(sessions)
}

function holding({ clusters, tenants }: Scope): (request: PolicyRequest) => boolean {
  const [fitsCluster, fitsTenant] = [clusters && new Set(clusters), tenants && new Set(tenants)]
  return ({ cluster, tenant }) => (fitsCluster?.has(cluster) ?? true) && (fitsTenant?.has(tenant) ?? true)
}
