import type { DenyPolicy } from '../../apis/breakglass/deny-policy.ts'
import type { Stored } from '../../kube/objects.ts'
import type { CompiledPolicy } from './compiled-policy.ts'
import { compiledPolicy } from './compiled-policy.ts'
import type { CompilePolicies, PolicyRequest, PolicySession, PolicySet } from './contract.ts'
import { firstRefusal } from './evaluate.ts'
import { Scopes } from './scopes.ts'
import type { Entry } from './shelf.ts'

const defaultPrecedence = 100

export const compilePolicies: CompilePolicies = (policies) => {
  const compiled = [...policies].sort(byPrecedence).map(compiledPolicy)
  const byName = new Map(compiled.map((policy) => [policy.name, policy]))
  const forEverybody = new Scopes()
  const forSessions = new Map<string, Scopes>()
  for (const policy of compiled) {
    if (!policy.sessions) put(policy, forEverybody)
    else for (const session of policy.sessions) put(policy, scopesOf(forSessions, session))
  }

  const candidates = (request: PolicyRequest): Entry[] => {
    const found: Entry[] = []
    forEverybody.collect(request, found)
    return found
  }
  const candidatesFor = ({ name, denyPolicyRefs }: PolicySession, request: PolicyRequest): Entry[] => {
    const found: Entry[] = []
    forSessions.get(name)?.collect(request, found)
    forSessions.get(everySession)?.collect(request, found)
    for (const ref of denyPolicyRefs) byName.get(ref)?.shelf().collect(request, found)
    return found
  }
  const missingRef = ({ denyPolicyRefs }: PolicySession) => denyPolicyRefs.find((ref) => !byName.has(ref))
  const canMatch = (entries: readonly Entry[], request: PolicyRequest) =>
    entries.some(({ holdsIn }) => holdsIn(request))

  const set: PolicySet = {
    mayMatch: (request, sessions) =>
      canMatch(candidates(request), request) ||
      sessions.some(
        (session) => missingRef(session) !== undefined || canMatch(candidatesFor(session, request), request),
      ),
    isFor: (cluster, tenant) => forEverybody.isIn(cluster, tenant),
    evaluate: (request, facts, signal, sessions = []) =>
      firstRefusal(candidates(request), { request, facts, signal, overrides: sessions.flatMap(overridesOf) }),
    evaluateFor(session, request, facts, signal) {
      const missing = missingRef(session)
      if (missing !== undefined) {
        const because = 'the session is held to a policy of this name, and there is none'
        return { denied: true, policy: missing, because, isError: true }
      }
      const found = candidatesFor(session, request)
      const own = new Set(found)
      // Another session may have overridden what is for everybody; this one is held to it all the same.
      forEverybody.collectPods(request, found)
      const isQuiet = (entry: Entry) => !own.has(entry)
      return firstRefusal(found, { request, facts, signal, overrides: overridesOf(session), isQuiet })
    },
  }
  return set
}

/** In the list of sessions of a policy that is for what any session grants. */
const everySession = '*'

function put({ scope, entries, budget, sessions }: CompiledPolicy, into: Scopes): void {
  const each = Math.max(1, Math.floor(budget / (sessions?.length ?? 1)))
  for (const entry of entries) into.add(scope, entry, each)
}

function scopesOf(all: Map<string, Scopes>, session: string): Scopes {
  const found = all.get(session) ?? new Scopes()
  all.set(session, found)
  return found
}

const overridesOf = ({ podSecurityOverrides }: PolicySession) => (podSecurityOverrides ? [podSecurityOverrides] : [])

/** Lower precedence first, then by name. */
function byPrecedence(one: Stored<DenyPolicy>, other: Stored<DenyPolicy>): number {
  const difference = (one.spec.precedence ?? defaultPrecedence) - (other.spec.precedence ?? defaultPrecedence)
  if (difference !== 0) return difference
  return one.metadata.name < other.metadata.name ? -1 : 1
}
