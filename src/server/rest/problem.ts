import type { Clock } from '../../core/clock.ts'
import type { Failure } from '../../core/failure.ts'
import { isFailure } from '../../core/failure.ts'
import type { FieldError, ProblemFacts, ProblemOf, ProblemSlug, ProblemStyle } from '../../fleet/rest.ts'
import { failures } from '../failures.ts'

const prefix = 'HYPERFLEET'
const types = 'https://api.hyperfleet.io/errors'

const titles: Readonly<Record<ProblemSlug, string>> = {
  'validation-error': 'Validation Error',
  'invalid-request': 'Invalid Request',
  'authentication-required': 'Authentication Required',
  'invalid-credentials': 'Invalid Credentials',
  'permission-denied': 'Permission Denied',
  'resource-not-found': 'Resource Not Found',
  'resource-conflict': 'Resource Conflict',
  'version-conflict': 'Version Conflict',
  'rate-limit-exceeded': 'Rate Limit Exceeded',
  'internal-error': 'Internal Error',
  'service-unavailable': 'Service Unavailable',
  'upstream-error': 'Upstream Error',
}

/** RFC 9457. */
export interface ProblemDocument {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: string
  timestamp: string
  trace_id: string
  errors?: readonly FieldError[]
  [more: string]: unknown
}

export interface ProblemPlace {
  /** The path, without its query. */
  instance: string
  traceId: string
  clock: Pick<Clock, 'now'>
  problemOf: ProblemOf
  style?: ProblemStyle | undefined
}

export interface ToldProblem {
  document: ProblemDocument
  headers: Readonly<Record<string, string>>
  /** Nobody foresaw it: it belongs into the log. */
  isInternal: boolean
}

const instanceLimit = 512

/** What is in nobody's catalogue is told as an internal error, so that nothing of it leaves. */
export function problemFor(error: unknown, { instance, traceId, clock, problemOf, style }: ProblemPlace): ToldProblem {
  const known = isFailure(error) ? (ownProblemOf(error) ?? problemOf(error)) : undefined
  const failure: Failure = known && isFailure(error) ? error : failures.SERVER_INTERNAL()
  const { code, slug, retryAfterSeconds, errors, more, headers = {} } = known ?? internal
  return {
    document: {
      type: `${style?.types ?? types}/${slug}`,
      title: titles[slug],
      status: failure.status,
      detail: failure.message,
      instance: instance.slice(0, instanceLimit),
      code: style?.codeOf(failure.status) ?? `${prefix}-${code}`,
      timestamp: clock.now().toISOString(),
      trace_id: traceId,
      ...(errors && { errors }),
      ...more,
    },
    headers: {
      ...headers,
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))) }),
      ...(failure.status === 401 && { 'www-authenticate': challenge(code) }),
    },
    isInternal: !known,
  }
}

const internal: ProblemFacts = { code: 'INT-001', slug: 'internal-error' }

const challenge = (code: string): string => (code === 'AUT-001' ? 'Bearer' : 'Bearer error="invalid_token"')

/** Of the server itself. */
const own: Readonly<Record<string, (failure: Failure) => ProblemFacts>> = {
  SERVER_NO_SUCH_PATH: () => ({ code: 'NTF-001', slug: 'resource-not-found' }),
  SERVER_WRONG_METHOD: () => ({ code: 'VAL-000', slug: 'invalid-request' }),
  SERVER_WRONG_CONTENT_TYPE: () => ({ code: 'VAL-003', slug: 'invalid-request' }),
  SERVER_BODY_TOO_LARGE: () => ({ code: 'VAL-003', slug: 'invalid-request' }),
  SERVER_BODY_CUT: () => ({ code: 'VAL-003', slug: 'invalid-request' }),
  SERVER_BODY_LATE: () => ({ code: 'VAL-003', slug: 'invalid-request' }),
  REST_NOT_HTTP: () => ({ code: 'VAL-003', slug: 'invalid-request' }),
  REST_HEADERS_TOO_LARGE: () => ({ code: 'VAL-003', slug: 'invalid-request' }),
  SERVER_BAD_JSON: () => ({ code: 'VAL-003', slug: 'invalid-request' }),
  REST_NO_TOKEN: () => ({ code: 'AUT-001', slug: 'authentication-required' }),
  REST_WRONG_TOKEN: () => ({ code: 'AUT-002', slug: 'invalid-credentials' }),
  REST_TOKEN_EXPIRED: () => ({ code: 'AUT-003', slug: 'invalid-credentials' }),
  REST_NOT_ALLOWED: () => ({ code: 'AUZ-001', slug: 'permission-denied' }),
  REST_IDENTITY_AWAY: ({ params }) => ({
    code: 'SVC-001',
    slug: 'service-unavailable',
    retryAfterSeconds: Number(params['retryAfterSeconds']),
  }),
  REST_BAD_PATH: () => ({ code: 'VAL-005', slug: 'validation-error' }),
  REST_INPUT: ({ params }) => inputProblem(params['errors'] as readonly FieldError[], params['where'] as InputPlace),
  REST_TOO_MANY: ({ params }) => ({
    code: 'LMT-001',
    slug: 'rate-limit-exceeded',
    retryAfterSeconds: Number(params['retryAfterSeconds']),
    headers: params['headers'] as Record<string, string>,
  }),
  REST_LATE: () => ({ code: 'SVC-003', slug: 'service-unavailable' }),
}

const ownProblemOf: ProblemOf = (failure) => own[failure.code]?.(failure)

export type InputPlace = 'params' | 'query' | 'body'

const codeOfPlace: Readonly<Record<InputPlace, string>> = { params: 'VAL-005', query: 'VAL-004', body: 'VAL-002' }

/** One code for one mistake, and VAL-000 for several. */
export function inputProblem(errors: readonly FieldError[], where: InputPlace): ProblemFacts {
  const [first, ...more] = errors
  const single = first?.constraint === 'required' && where === 'body' ? 'VAL-001' : codeOfPlace[where]
  return { code: more.length > 0 ? 'VAL-000' : single, slug: 'validation-error', errors }
}

export function inputFailure(errors: readonly FieldError[], where: InputPlace): Failure {
  const summary = errors.map(({ field, message }) => `${field} ${message}`).join('; ')
  const params = { summary, errors, where }
  return failures.REST_INPUT(params)
}
