import { sleep } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import type { RawAnswer, RawRequest, RawRoute } from '../../fleet/rest.ts'
import type { Audit } from '../audit/contract.ts'
import type { AccessHubDeps } from '../hub/deps.ts'
import type { WebhookTokens } from '../webhook-tokens/index.ts'
import { auditDecision, auditUnauthorized } from './audit-events.ts'
import type { Asked, AtOnce, Authorizer, Decision, Scope } from './contract.ts'
import type { Refusal } from './metrics.ts'
import { decisionMetrics } from './metrics.ts'
import { Pace } from './pace.ts'
import { parseReview } from './parse-review.ts'

export interface RoutesDeps extends Pick<AccessHubDeps, 'spokeView' | 'clock' | 'log' | 'metrics' | 'settings'> {
  authorizer: Authorizer & AtOnce
  tokens: Pick<WebhookTokens, 'isOf'>
  audit: Audit
}

export const reviewLimitBytes = 1024 * 1024

/** Where API servers ask. The second of each is a path that older configurations have. */
export function authorizeRoutes(deps: RoutesDeps): RawRoute[] {
  const { authorizer, tokens, audit, clock, log, spokeView, settings } = deps
  const pace = new Pace(deps)
  spokeView.configs.on(({ type, object }) => {
    if (type === 'deleted') pace.forget(object.metadata.name)
  })
  const counted = decisionMetrics(deps.metrics, (cluster) => spokeView.configs.byIndex('name', cluster).length > 0)

  const refuse = (why: Refusal): RawAnswer => {
    counted.refused(why)
    return refusals[why]
  }

  function handle(scope: Scope, request: RawRequest): RawAnswer | Promise<RawAnswer> {
    const cluster = request.params['cluster'] ?? ''
    const token = bearerIn(request.headers['authorization'])
    if (token === undefined || !tokens.isOf(cluster, token)) {
      auditUnauthorized(audit, cluster, request)
      return refuse('unauthorized')
    }
    if (scope === 'policies') return judged(scope, cluster, request, (asked) => byPolicies(cluster, asked))
    const waitMs = pace.take(cluster)
    if (waitMs === 0) return judged(scope, cluster, request, (asked) => authorizer.decide(cluster, asked, scoped.all))
    return waitMs === undefined ? refuse('too-many') : later(scope, cluster, request, waitMs)
  }

  /** Not even looked at before its turn: until then it has cost next to nothing. */
  async function later(scope: Scope, cluster: string, request: RawRequest, waitMs: number): Promise<RawAnswer> {
    const withinMs = await turn(cluster, waitMs)
    return await judged(scope, cluster, request, (asked) => authorizer.decide(cluster, asked, { scope, withinMs }))
  }

  /** What is left of the time after that. */
  async function turn(cluster: string, waitMs: number): Promise<number> {
    counted.waited()
    await sleep(clock, waitMs)
    pace.passed(cluster)
    return settings().totalDeadlineMs - waitMs
  }

  /**
   * An API server that is sent away goes on without us, and a flood must not switch policies off. So all of it is looked
   * at, and only what has to ask the cluster waits for its turn; where that is too far off, it is denied.
   */
  function byPolicies(cluster: string, asked: Asked): Decision | Promise<Decision> {
    const found = authorizer.glance(cluster, asked)
    if (found) return found
    const waitMs = pace.take(cluster)
    if (waitMs === undefined) return authorizer.overloaded(cluster, asked)
    if (waitMs === 0) return authorizer.decide(cluster, asked, scoped.policies)
    return turn(cluster, waitMs).then((withinMs) => authorizer.decide(cluster, asked, { scope: 'policies', withinMs }))
  }

  function judged(
    scope: Scope,
    cluster: string,
    request: RawRequest,
    decide: (asked: Asked) => Decision | Promise<Decision>,
  ): RawAnswer | Promise<RawAnswer> {
    if (request.body === undefined) return refuse('too-large')
    const review = parseReview(request.body)
    if (!review) return refuse('invalid')
    const { apiVersion, asked } = review
    const failed = (err: unknown): RawAnswer => {
      const fields = { err, cluster, traceId: request.traceId }
      if (isFailure(err)) log.warn(fields, 'nothing was decided')
      else log.error(fields, 'a decision failed')
      return refuse('failed')
    }
    const answer = (decision: Decision, waitedMs?: number): RawAnswer => {
      counted.decided(cluster, decision, scope, waitedMs)
      auditDecision(audit, cluster, asked, decision, scope, request)
      // An API server shows people what every webhook said: the one that is asked last tells them what to do.
      const isSilent = scope === 'policies' && decision.verdict === 'noOpinion'
      return answerOf(apiVersion, isSilent ? { ...decision, reason: '' } : decision, request)
    }
    try {
      const decision = decide(asked)
      if (!(decision instanceof Promise)) return answer(decision)
      const startedMs = clock.now().getTime()
      return decision.then((made) => answer(made, clock.now().getTime() - startedMs)).catch(failed)
    } catch (err) {
      return failed(err)
    }
  }

  const routes = [
    { scope: 'all', prefix: '/api', operationId: 'authorize' },
    { scope: 'policies', prefix: '/api', operationId: 'authorizePolicies' },
    { scope: 'all', prefix: '', operationId: 'authorizeOldPath' },
    { scope: 'policies', prefix: '', operationId: 'authorizePoliciesOldPath' },
  ] as const
  return routes.map(({ scope, prefix, operationId }) => ({
    method: 'POST',
    path: `${prefix}/breakglass/webhook/authorize/{cluster}${scope === 'all' ? '' : '/policies'}`,
    summary: summaries[scope],
    operationId,
    description,
    tag: 'Webhook',
    bodyLimitBytes: reviewLimitBytes,
    answers,
    handle: (request: RawRequest) => handle(scope, request),
  }))
}

const scoped: Readonly<Record<Scope, { scope: Scope }>> = { all: { scope: 'all' }, policies: { scope: 'policies' } }

const summaries: Readonly<Record<Scope, string>> = {
  all: 'Whether somebody may do something on a cluster',
  policies: 'Whether a deny policy forbids something on a cluster',
}

const description =
  'For the API server of a cluster. Takes a SubjectAccessReview and answers one with its status. The bearer token is that of the cluster.'

const answers = {
  200: 'The decision: `allowed`, `denied`, or neither where there is no opinion.',
  401: 'The token is not one of this cluster; nothing was decided.',
  413: 'The review is larger than 1 MiB.',
  422: 'The body is no SubjectAccessReview.',
  500: 'Nothing could be decided.',
  503: 'The cluster asks faster than it may, and too many of its questions wait already.',
}

/** Without a closure or a pattern: it is read for every question of every cluster. */
function bearerIn(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || header.length <= 7) return undefined
  return header.slice(0, 7).toLowerCase() === 'bearer ' ? header.slice(7).trim() : undefined
}

function answerOf(apiVersion: string, { verdict, reason }: Decision, request: RawRequest): RawAnswer {
  const status =
    verdict === 'denied' ? { allowed: false, denied: true, reason } : { allowed: verdict === 'allowed', reason }
  const body = JSON.stringify({ apiVersion, kind: 'SubjectAccessReview', status })
  const id = request.headers['x-request-id']
  if (typeof id !== 'string' || !requestId.test(id)) return { status: 200, contentType: 'application/json', body }
  return { status: 200, contentType: 'application/json', body, headers: { 'x-request-id': id } }
}

const requestId = /^[\w.:-]{1,128}$/

const problem = (status: number, title: string, code: string, detail: string, headers = {}): RawAnswer => ({
  status,
  contentType: 'application/problem+json',
  body: JSON.stringify({ type: 'about:blank', title, status, detail, code }),
  headers,
})

const refusals: Readonly<Record<Refusal, RawAnswer>> = {
  unauthorized: problem(401, 'Unauthorized', 'UNAUTHORIZED', 'The bearer token is not one of this cluster.', {
    'www-authenticate': 'Bearer',
  }),
  'too-many': problem(503, 'Service Unavailable', 'TOO_MANY_REQUESTS', 'The cluster asks faster than it may.', {
    'retry-after': '1',
  }),
  'too-large': problem(413, 'Content Too Large', 'BAD_REQUEST', 'The review is larger than 1 MiB.'),
  invalid: problem(
    422,
    'Unprocessable Content',
    'UNPROCESSABLE_ENTITY',
    'The body is no SubjectAccessReview of authorization.k8s.io/v1 or v1beta1 with one kind of attributes.',
  ),
  failed: problem(500, 'Internal Server Error', 'INTERNAL_ERROR', 'Nothing could be decided.'),
}
