import type { AccessHubDeps } from '../hub/deps.ts'
import type { WatchedPolicies } from '../policies/index.ts'
import type { AccessView } from '../view.ts'
import { userKey } from '../view.ts'
import { ClusterIndex } from './cluster-index.ts'
import type { Activity, AtOnce, Authorizer, Explainer, Explanation, SessionAside } from './contract.ts'
import { decide, failed, glance, overloaded, unread } from './decide.ts'
import { EscalationIndex } from './escalation-index.ts'
import { failures } from './failures.ts'
import { phaseMetrics } from './metrics.ts'
import type { DecideDeps, Trace } from './question.ts'
import type { RunningReviews } from './reviews.ts'
import { SessionIndex } from './session-index.ts'
import { SessionRecord } from './session-record.ts'
import { timelyFacts } from './timely-facts.ts'
import type { Heard } from './touch.ts'
import { Touch } from './touch.ts'

export interface AuthorizerDeps extends Pick<AccessHubDeps, 'spokeView' | 'clock' | 'metrics' | 'settings'> {
  view: AccessView
  policies: Pick<WatchedPolicies, 'current' | 'factsOf'>
  reviews: Pick<RunningReviews, 'ask' | 'aside' | 'isHubUser' | 'open'>
  activity: Activity
  /** Of the webhook: what has been heard of them. */
  tokens: Heard
}

export function createAuthorizer(deps: AuthorizerDeps): Authorizer & AtOnce & Explainer {
  const { view, spokeView, clock } = deps
  const escalations = new EscalationIndex(view, spokeView.providers)
  const recordDeps = {
    lastUsed: deps.activity.lastUsed,
    ownerOf: escalations.ownerOf.bind(escalations),
    escalationsVersion: () => escalations.version,
  }
  const decideDeps: DecideDeps = {
    ...deps,
    escalations,
    clusters: new ClusterIndex({ spokeView, factsOf: (cluster) => timelyFacts(cluster, deps) }),
    sessions: new SessionIndex(view.sessions, recordDeps),
    isHubUser: deps.reviews.isHubUser,
    onPhase: phaseMetrics(deps.metrics),
    touch: new Touch({ clock, policies: view.policies, others: [view.sessions, spokeView.configs, deps.tokens] }),
  }
  const mustKnow = () => {
    if (!spokeView.configs.isSynced || !view.sessions.isSynced) throw failures.ACCESS_NOT_READY()
  }

  return {
    decide(cluster, asked, { scope = 'all', withinMs } = {}) {
      mustKnow()
      return decide({ cluster, asked, scope, withinMs }, decideDeps)
    },
    glance(cluster, asked) {
      mustKnow()
      return glance({ cluster, asked, scope: 'policies' }, decideDeps)
    },
    overloaded(cluster, asked) {
      mustKnow()
      return overloaded({ cluster, asked, scope: 'policies' }, decideDeps)
    },
    unread(cluster, why) {
      mustKnow()
      return unread(cluster, why, decideDeps)
    },
    failed: (cluster, asked) => failed(cluster, asked, decideDeps),
    async explain(cluster, asked, { scope = 'all' } = {}) {
      mustKnow()
      const asides = new Map<string, SessionAside | undefined>()
      const policies: Explanation['policies'][number][] = []
      const reviews: Explanation['reviews'][number][] = []
      const trace: Trace = {
        session: ({ session }, aside) => asides.set(session.metadata.uid, aside),
        policy: (policy, because, record) =>
          policies.push({ policy, because, ...(record && { session: record.place.name }) }),
        review: (groups, review) => reviews.push({ groups, review }),
      }
      const aside = { ...decideDeps, reviews: deps.reviews.aside }
      const decision = await decide({ cluster, asked, scope, trace }, aside)
      const sessions = view.sessions.byIndex('user', userKey(cluster, asked.user)).map((session) => {
        const record = new SessionRecord(session, recordDeps)
        const isTold = asides.has(session.metadata.uid)
        // A policy for everybody is found before sessions are looked at.
        const untold = policies.length > 0 && record.grants(clock.now()) ? 'policy' : 'not-granting'
        const aside = isTold ? asides.get(session.metadata.uid) : untold
        return { ...record.place, state: session.status?.state ?? '', ...(aside && { aside }) }
      })
      return { decision, sessions, policies, reviews }
    },
  }
}
