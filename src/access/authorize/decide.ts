import type { PolicyRequest } from '../policies/contract.ts'
import type { AccessSettings } from '../settings.ts'
import type { ClusterFacts } from './cluster-index.ts'
import type { Asked, Decision } from './contract.ts'
import { Deciding } from './deciding.ts'
import type { DecideDeps, Question, Trace } from './question.ts'
import type { Unread } from './read-review.ts'
import type { SessionRecord } from './session-record.ts'
import * as wording from './wording.ts'

/**
 * In the order of what outranks what: who is none of our business, what is forbidden to everybody, which sessions count,
 * what those are held to, and what the cluster says of their groups. At once where nothing has to be waited for.
 */
export function decide(question: Question, deps: DecideDeps): Decision | Promise<Decision> {
  const { cluster, asked, scope, trace } = question
  const facts = deps.clusters.find(cluster)
  if (!facts) return wording.clusterMissing(cluster, asked)
  const nobodys = noBusiness(question, deps)
  if (nobodys) return nobodys
  const settings = deps.settings()
  const now = deps.clock.now()
  const held = granting(deps.sessions.of(cluster, asked.user), now, trace)
  const looking = held.length > 0 ? deps.touch.look() : undefined
  if (looking)
    return question.isAtOnce ? unanswered : looking.then(() => decide(later(question, now, settings, deps), deps))
  const lost = held.length > 0 ? deps.touch.lost() : undefined
  const set = deps.policies.current()
  if (!set) return new Deciding(question, deps, settings, facts, held).withoutPolicies()
  const request = requestOf(facts.tenant(settings), cluster, asked)
  const mayMatch = set.mayMatch(request, held.length === 0 ? nobody : held.map((record) => record.forPolicies()))
  const isForSessions = held.length > 0 && (scope === 'all' || lost === 'policies')
  if (!mayMatch && !isForSessions) return noOpinion(facts, asked, settings, deps)
  const deciding = new Deciding(question, deps, settings, facts, held, lost)
  return deciding.within(mayMatch ? deciding.byPolicies(set, request) : deciding.bySessions(undefined, request))
}

/** What is decided without asking anybody; undefined where that does not do. */
export function glance(question: Question, deps: DecideDeps): Decision | undefined {
  const decision = decide({ ...question, isAtOnce: true }, deps)
  return decision instanceof Promise ? undefined : decision
}

/** What is answered where there is no time to ask: what a policy for everybody might forbid, by the index alone, is denied. */
export function overloaded(question: Question, deps: DecideDeps): Decision {
  const { cluster, asked } = question
  const facts = deps.clusters.find(cluster)
  if (!facts) return wording.clusterMissing(cluster, asked)
  const nobodys = noBusiness(question, deps)
  if (nobodys) return nobodys
  const settings = deps.settings()
  const set = deps.policies.current()
  const mayMatch = !set || set.mayMatch(requestOf(facts.tenant(settings), cluster, asked), nobody)
  if (!mayMatch) return noOpinion(facts, asked, settings, deps)
  return { verdict: 'denied', source: 'overload', reason: wording.policiesOverloaded }
}

/** Nobody knows who asks for what, so any policy of the cluster may forbid it. */
export function unread(cluster: string, why: Unread, deps: DecideDeps): Decision {
  const settings = deps.settings()
  const facts = deps.clusters.find(cluster)
  const reason = wording.unread(why)
  const isAsPoliciesSay = facts !== undefined && deps.policies.current() !== undefined
  const isDenied = isAsPoliciesSay
    ? mayForbid(cluster, facts.tenant(settings), deps)
    : settings.onPolicyError === 'deny'
  return { verdict: facts && isDenied ? 'denied' : 'noOpinion', source: 'unread', reason }
}

export function failed(cluster: string, asked: Asked, deps: DecideDeps): Decision | undefined {
  if (deps.settings().onPolicyError !== 'deny') return undefined
  const nobodys = noBusiness({ cluster, asked }, deps)
  if (nobodys) return nobodys
  // What tenant a cluster is of may be what could not be found out.
  const verdict = mayForbid(cluster, undefined, deps) ? 'denied' : 'noOpinion'
  return { verdict, source: 'policy-error', reason: wording.hubFailed }
}

const mayForbid = (cluster: string, tenant: string | undefined, { policies }: DecideDeps): boolean =>
  policies.current()?.isFor(cluster, tenant) ?? true

function noBusiness({ cluster, asked }: Pick<Question, 'cluster' | 'asked'>, deps: DecideDeps): Decision | undefined {
  if (asked.user.startsWith('system:')) return wording.systemUser
  return deps.isHubUser(cluster, asked.user) ? wording.hubIdentity : undefined
}

/** With what is left of the time. */
const later = (question: Question, startedAt: Date, { totalDeadlineMs }: AccessSettings, { clock }: DecideDeps) => {
  const { withinMs = totalDeadlineMs } = question
  return { ...question, withinMs: withinMs - (clock.now().getTime() - startedAt.getTime()) }
}

const nobody: readonly never[] = []
const unanswered = new Promise<never>(() => {})

function granting(records: readonly SessionRecord[], now: Date, trace: Trace | undefined): readonly SessionRecord[] {
  if (records.length === 0) return records
  return records.filter((record) => {
    const grants = record.grants(now)
    if (!grants) trace?.session(record, 'not-granting')
    return grants
  })
}

const requestOf = (tenant: string, cluster: string, { verb, resource, path }: Asked): PolicyRequest =>
  resource ? { cluster, tenant, verb, resource } : { cluster, tenant, verb, path: path ?? '' }

/** The commonest answer of all, so it is put together once for a cluster. */
function noOpinion(facts: ClusterFacts, asked: Asked, settings: AccessSettings, deps: DecideDeps): Decision {
  const canAsk = deps.escalations.hasOfferFor(facts.name, asked, settings.oidcPrefixes)
  const isForeign = asked.issuer !== undefined && !facts.issuers.has(asked.issuer)
  const key = `${canAsk} ${isForeign} ${isForeign && settings.hardenedProviderHints} ${settings.frontendUrl}`
  const known = facts.answers.get(key)
  if (known) return known
  const hints = isForeign ? [wording.unknownIssuer(facts, settings)] : []
  const reason = [wording.noSession, ...hints, wording.howToAsk(facts.name, canAsk, settings)].join(' ')
  const decision: Decision = { verdict: 'noOpinion', source: 'none', reason }
  facts.answers.set(key, decision)
  return decision
}
