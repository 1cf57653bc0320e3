import type { RestRequest, RestRoute } from '../../fleet/rest.ts'
import { groupPrefixesOf } from '../group-prefixes.ts'
import { failures as sessionFailures } from '../sessions/failures.ts'
import { isReady } from '../sessions/index.ts'
import type { Person } from './contract.ts'
import type { PeopleDeps } from './deps.ts'
import { whoCalls } from './deps.ts'
import { usable } from './escalation-routes.ts'
import * as examples from './examples.ts'
import type { ExplainQuery, Subject } from './explain-subject.ts'
import { subjectOf } from './explain-subject.ts'
import { failures } from './failures.ts'
import * as schemas from './schemas.ts'
import { rbacOf, wouldAllow } from './what-if.ts'

export const explainRoutes = (deps: PeopleDeps): RestRoute[] => [
  {
    method: 'GET',
    path: '/api/explain',
    operationId: 'explain',
    summary: 'Understand a decision',
    description:
      'Whether somebody may do something on a cluster, by which session, group or policy, and which escalations would allow it. By the very code that decides; nothing is recorded. People ask about themselves, approvers about anybody on clusters where they approve.',
    tag: 'Explain',
    query: schemas.explainQuery,
    answers: { 200: schemas.explanation },
    example: { query: examples.explainQuery, answers: { 200: examples.explanation } },
    handle: async ({ query, caller, signal }: RestRequest<unknown, ExplainQuery>) => {
      if ((query.resource === undefined) === (query.path === undefined))
        throw failures.ACCESS_BAD_QUERY({ field: 'resource', detail: 'give either resource or path' })
      const person = whoCalls(caller, deps)
      const subject = subjectOf(query, person, deps)
      if (!subject) throw failures.ACCESS_NOT_YOURS_TO_ASK()
      const { cluster } = query
      if (deps.spokeView.configs.byIndex('name', cluster).length > 1)
        throw sessionFailures.ACCESS_CLUSTER_NOT_UNIQUE({ cluster })
      return { status: 200, body: await explained(query, subject, person, deps, signal) }
    },
  },
]

async function explained(
  { cluster }: ExplainQuery,
  subject: Subject,
  person: Person,
  deps: PeopleDeps,
  signal: AbortSignal,
) {
  const { asked, groups, isOwn } = subject
  const { decision, sessions, policies, reviews } = await deps.authorizer.explain(cluster, asked, { signal })
  const { verdict, source } = decision
  const isKnown = source !== 'cluster-missing'
  const provider = isOwn ? person.identityProvider : undefined
  const prefixes = groupPrefixesOf(provider, deps.settings(), deps.spokeView.providers.list()).own
  const rbac = isKnown ? await rbacOf(cluster, groups, asked, { ...deps, prefixes }, signal) : undefined
  const isAllowed = verdict === 'allowed' || (verdict === 'noOpinion' && rbac?.answer === 'allowed')
  const offered = isAllowed || !isKnown ? [] : offersTo(subject, cluster, person, deps)
  const escalations = await wouldAllow(cluster, offered, asked, { ...deps, prefixes }, signal)
  return {
    cluster,
    user: asked.user,
    allowed: isAllowed,
    ...(isAllowed && { by: verdict === 'allowed' ? 'session' : 'rbac' }),
    ...(verdict === 'denied' && { by: 'policy' }),
    decision,
    sessions,
    policies,
    reviews,
    ...(rbac && { rbac }),
    escalations: isOwn ? escalations : escalations.map(({ name, group, verified }) => ({ name, group, verified })),
  }
}

/** To the caller what they may ask for; to an approver what they would be asked about. */
const offersTo = ({ isOwn, approved }: Subject, cluster: string, person: Person, deps: PeopleDeps) =>
  (isOwn ? usable(person, cluster, deps) : approved).filter(isReady)
