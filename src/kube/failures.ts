import { catalogue } from '../core/failure.ts'

export const failures = catalogue({
  KUBE_DEADLINE: [504, '{method} {path} got no answer within {deadlineMs} ms; check that {server} can be reached'],
  KUBE_UNREACHABLE: [503, 'cannot reach the Kubernetes API at {server}: {detail}'],
  KUBE_CLOSED: [503, 'the client for {server} has been closed'],
  KUBE_BAD_ANSWER: [502, '{method} {path} on {server} was not answered as Kubernetes does: {detail}'],
})

/** The body of a Kubernetes error answer (`kind: Status`). */
export interface Status {
  message?: string
  reason?: string
  code?: number
  details?: {
    name?: string
    group?: string
    kind?: string
    retryAfterSeconds?: number
    causes?: { reason?: string; message?: string; field?: string }[]
  }
}

/** The server's own "no". Classified by `reason` and `code`, never by its text. */
export class KubeFailure extends Error {
  readonly code: number
  readonly reason: string
  readonly details: Status['details']

  constructor(status: Status & { code: number }, context: { method: string; path: string }) {
    super(status.message ?? `${context.method} ${context.path} was answered with ${status.code}`)
    this.name = 'KubeFailure'
    this.code = status.code
    this.reason = status.reason ?? 'Unknown'
    this.details = status.details
  }
}

const is =
  (code: number, ...reasons: string[]) =>
  (error: unknown): error is KubeFailure =>
    error instanceof KubeFailure && error.code === code && (reasons.length === 0 || reasons.includes(error.reason))

export const isNotFound = is(404)
export const isForbidden = is(403)
export const isUnauthorized = is(401)
export const isAlreadyExists = is(409, 'AlreadyExists')
export const isConflict = is(409, 'Conflict')
export const isInvalid = is(422)
export const isTooManyRequests = is(429)
/** The resourceVersion or continue token is older than what the server keeps: list again. */
export const isExpired = is(410)
