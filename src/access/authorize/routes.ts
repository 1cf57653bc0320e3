import { sleep } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import type { RawAnswer, RawRequest, RawRoute } from '../../fleet/rest.ts'
import type { Audit } from '../audit/contract.ts'
import type { AccessHubDeps } from '../hub/deps.ts'
import type { WebhookTokens } from '../webhook-tokens/index.ts'
import { auditDecision, auditUnauthorized } from './audit-events.ts'
import type { Asked, AtOnce, Authorizer, Decision, Scope } from './contract.ts'
import { LongBodies } from './long-bodies.ts'
import type { Refusal } from './metrics.ts'
import { decisionMetrics } from './metrics.ts'
import { Pace } from './pace.ts'
import type { ParsedReview } from './parse-review.ts'
import type { Unread } from './read-review.ts'
import { readReview } from './read-review.ts'

export interface RoutesDeps extends Pick<AccessHubDeps, 'spokeView' | 'clock' | 'log' | 'metrics' | 'settings'> {
  authorizer: Authorizer & AtOnce
  tokens: Pick<WebhookTokens, 'isOf'>
  audit: Audit
}

interface Asking {
  readonly cluster: string
  readonly scope: Scope
  readonly request: RawRequest
  readonly startedMs: number
}

/**
 * Of the whole time, where something has to be decided still: what has not come by then is denied. Not all at the same
 * share: of many that came together all would be denied together, and come back with as many handshakes at once.
 */
const readingShare = { least: 0.6, most: 0.8, steps: 16 }

/** Where API servers ask. The second of each is a path that older configurations have. */
export function authorizeRoutes(deps: RoutesDeps): RawRoute[] {
  const { authorizer, tokens, audit, clock, log, spokeView, settings } = deps
  const pace = new Pace(deps)
  spokeView.configs.on(({ type, object }) => {
    if (type === 'deleted') pace.forget(object.metadata.name)
  })
  const counted = decisionMetrics(deps.metrics, (cluster) => spokeView.configs.byIndex('name', cluster).length > 0)

  const bodies = new LongBodies(clock)
  let step = 0
  const nextShare = (): number => {
    step = (step + 1) % readingShare.steps
    return readingShare.most - ((readingShare.most - readingShare.least) * step) / readingShare.steps
  }
  const refuse = (why: Refusal): RawAnswer => {
    counted.refused(why)
    return refusals[why]
  }

  /** The token comes first: of a body whose sender nobody knows nothing is read. */
  function handle(scope: Scope, request: RawRequest): RawAnswer | Promise<RawAnswer> {
    const cluster = request.params['cluster'] ?? ''
    const token = bearerIn(request.headers['authorization'])
    if (token === undefined || !tokens.isOf(cluster, token)) {
      auditUnauthorized(audit, cluster, request)
      return refuse('unauthorized')
    }
    const asking: Asking = { cluster, scope, request, startedMs: clock.now().getTime() }
    const hasRoom = request.claim(`cluster ${cluster}`)
    if (scope === 'policies') return hasRoom ? byPolicies(asking) : unread(asking, 'too-many')
    return hasRoom ? bySessions(asking) : refuse('too-many')
  }

  const leftMs = ({ startedMs }: Asking): number =>
    settings().totalDeadlineMs - Math.max(0, clock.now().getTime() - startedMs)

  const read = ({ cluster, request }: Asking, withinMs: number): Promise<ParsedReview | Unread> => {
    const length = request.headers['content-length']
    return readReview(request.body, length === undefined ? undefined : Number(length), {
      ...{ cluster, clock, bodies, withinMs },
    })
  }

  /** Not even looked at before its turn: until then it has cost next to nothing. */
  async function bySessions(asking: Asking): Promise<RawAnswer> {
    const { cluster } = asking
    const waitMs = pace.take(cluster)
    if (waitMs === undefined) return refuse('too-many')
    if (waitMs > 0) await turn(cluster, waitMs)
    const review = await read(asking, leftMs(asking))
    if (typeof review === 'string') return refuse(review)
    return judged(asking, review, (asked) => authorizer.decide(cluster, asked, { withinMs: leftMs(asking) }))
  }

  async function turn(cluster: string, waitMs: number): Promise<void> {
    counted.waited()
    await sleep(clock, waitMs)
    pace.passed(cluster)
  }

  /**
   * An API server that is sent away goes on without us, and neither a flood nor a question that cannot be read must
   * switch policies off. So all of it is looked at, and only what has to ask the cluster waits for its turn; where that is
   * too far off, or nobody knows what was asked, it is denied.
   */
  async function byPolicies(asking: Asking): Promise<RawAnswer> {
    const review = await read(asking, leftMs(asking) * nextShare())
    if (typeof review === 'string') return unread(asking, review)
    return judged(asking, review, (asked) => atItsTurn(asking, asked))
  }

  function unread(asking: Asking, why: Unread): RawAnswer | Promise<RawAnswer> {
    counted.refused(why)
    return judged(asking, unknownReview, () => authorizer.unread(asking.cluster, why))
  }

  function atItsTurn(asking: Asking, asked: Asked): Decision | Promise<Decision> {
    const { cluster } = asking
    const found = authorizer.glance(cluster, asked)
    if (found) return found
    const waitMs = pace.take(cluster)
    if (waitMs === undefined) return authorizer.overloaded(cluster, asked)
    const decide = () => authorizer.decide(cluster, asked, { scope: 'policies', withinMs: leftMs(asking) })
    return waitMs === 0 ? decide() : turn(cluster, waitMs).then(decide)
  }

  function judged(
    { cluster, scope, request }: Asking,
    { apiVersion, asked }: ParsedReview,
    decide: (asked: Asked) => Decision | Promise<Decision>,
  ): RawAnswer | Promise<RawAnswer> {
    const answer = (decision: Decision, waitedMs?: number): RawAnswer => {
      counted.decided(cluster, decision, scope, waitedMs)
      auditDecision(audit, cluster, asked, decision, scope, request)
      // An API server shows people what every webhook said: the one that is asked last tells them what to do.
      const isSilent = scope === 'policies' && decision.verdict === 'noOpinion'
      return answerOf(apiVersion, isSilent ? { ...decision, reason: '' } : decision, request)
    }
    /** An error would be no opinion to the API server: where policies must hold without the hub, it denies. */
    const failed = (err: unknown): RawAnswer => {
      const fields = { err, cluster, traceId: request.traceId }
      if (isFailure(err)) log.warn(fields, 'nothing was decided')
      else log.error(fields, 'a decision failed')
      const decision = scope === 'policies' ? authorizer.failed(cluster, asked) : undefined
      if (!decision) return refuse('failed')
      counted.refused('failed')
      return answer(decision)
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
    answers: answers[scope],
    handle: (request: RawRequest) => handle(scope, request),
  }))
}

/** Stands for what nobody could read. */
const unknownReview: ParsedReview = {
  apiVersion: 'authorization.k8s.io/v1',
  asked: { user: '', groups: [], verb: '' },
}

const summaries: Readonly<Record<Scope, string>> = {
  all: 'Whether somebody may do something on a cluster',
  policies: 'Whether a deny policy forbids something on a cluster',
}

const description =
  'For the API server of a cluster. Takes a SubjectAccessReview and answers one with its status. The bearer token is that of the cluster.'

const common = {
  200: 'The decision: `allowed`, `denied`, or neither where there is no opinion.',
  401: 'The token is not one of this cluster; nothing was decided, and nothing of the body was read.',
}
const answers: Readonly<Record<Scope, Readonly<Record<number, string>>>> = {
  all: {
    ...common,
    400: 'The body broke off.',
    408: 'The body did not arrive in time.',
    413: 'The review is longer than 32 MiB, or than 1 MiB without its selectors.',
    422: 'The body is no SubjectAccessReview.',
    500: 'Nothing could be decided.',
    503: 'The cluster asks faster than it may, and too many of its questions wait already.',
  },
  policies: {
    ...common,
    200: 'The decision: `denied`, or not where there is no opinion. Also of a review that is too long, late, broken off or none at all: it is denied, unless no policy is for the cluster.',
    500: 'Nothing could be decided, and `access.onPolicyError` is `noOpinion`.',
  },
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
    connection: 'close',
  }),
  'too-many': problem(503, 'Service Unavailable', 'TOO_MANY_REQUESTS', 'The cluster asks faster than it may.', {
    'retry-after': '1',
  }),
  'too-large': problem(
    413,
    'Content Too Large',
    'BAD_REQUEST',
    'The review is longer than 32 MiB, or than 1 MiB without its selectors.',
  ),
  late: problem(408, 'Request Timeout', 'BAD_REQUEST', 'The review did not arrive in time.'),
  cut: problem(400, 'Bad Request', 'BAD_REQUEST', 'The review broke off.'),
  invalid: problem(
    422,
    'Unprocessable Content',
    'UNPROCESSABLE_ENTITY',
    'The body is no SubjectAccessReview of authorization.k8s.io/v1 or v1beta1 with one kind of attributes.',
  ),
  failed: problem(500, 'Internal Server Error', 'INTERNAL_ERROR', 'Nothing could be decided.'),
}
