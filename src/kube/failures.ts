import { catalogue } from '../core/failure.ts'

export const failures = catalogue({
  KUBE_DEADLINE: [504, '{method} {path} got no answer within {deadlineMs} ms; check that {server} can be reached'],
  KUBE_UNREACHABLE: [503, 'cannot reach the Kubernetes API at {server}: {detail}'],
  KUBE_UNTRUSTED: [
    502,
    'the certificate of {server} is not trusted: {detail}; check the CA and the server name of this connection',
  ],
  KUBE_CLOSED: [503, 'the client for {server} has been closed'],
  KUBE_BAD_ANSWER: [502, '{method} {path} on {server} was not answered as Kubernetes does: {detail}'],
  KUBE_BAD_CONNECTION: [400, 'this connection cannot be used: {detail}'],
  KUBE_NO_CREDENTIALS: [401, 'no usable credentials for {server}: {detail}'],
  KUBE_BAD_NAME: [400, '{what} {name} cannot be part of a request; use a name that Kubernetes accepts'],
  KUBE_NO_NAMESPACE: [400, '{kind} lives in a namespace; name one to {verb} it'],
  KUBE_NOT_NAMESPACED: [400, '{kind} does not live in a namespace, so it cannot be asked for in {namespace}'],
  KUBE_READ_ONLY: [403, 'nothing is to be changed here, so {what} is only read: no {verb}'],
  KUBE_WATCH_SILENT: [
    504,
    'a watch was still open {limitMs} ms after it began, long past its own end; it is opened again',
  ],
  KUBE_TOO_MUCH: [
    502,
    'the server has more of this kind than the {mostKeptBytes} bytes that are kept; it is not watched',
  ],
  KUBE_WENT_BACK: [
    410,
    'the server went back from version {from} to {to}, as after the restore of a backup; all is listed again',
  ],
  RECONCILE_DEADLINE: [
    504,
    'reconciling {key} took more than {deadlineMs} ms; look for what it waits on, or raise the deadline of {controller}',
  ],
  RECONCILE_BAD_OUTCOME: [500, 'controller {controller} ended {key} with an outcome it cannot have: {detail}'],
  LEASE_NO_ANSWER: [504, 'no answer about lease {lease} within {callMs} ms'],
  LEASE_LOST: [503, 'this replica lost the lease by which it led: {detail}'],
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

/** Kubernetes' reasons are words. What is none may be anything, also what was sent to the server. */
const reasonPattern = /^[A-Za-z]{1,64}$/
const mostCharacters = 16_384

/** The server's own "no". Classified by `reason` and `code`, never by its text. */
export class KubeFailure extends Error {
  readonly code: number
  readonly reason: string
  readonly details: Status['details']

  constructor(status: Status & { code: number }, context: { method: string; path: string }) {
    const { message, reason } = status
    const words =
      typeof message === 'string' ? message : `${context.method} ${context.path} was answered with ${status.code}`
    super(words.slice(0, mostCharacters))
    this.name = 'KubeFailure'
    this.code = status.code
    this.reason = typeof reason === 'string' && reasonPattern.test(reason) ? reason : 'Unknown'
    this.details = status.details
  }
}

const is =
  (code: number, ...reasons: string[]) =>
  (error: unknown): error is KubeFailure =>
    error instanceof KubeFailure && error.code === code && (reasons.length === 0 || reasons.includes(error.reason))

export const isNotFound = is(404)
/** The object is not there. Unlike `isNotFound`, false for the 404 of a path or kind that the server does not serve at all. */
export const isAbsent = is(404, 'NotFound')
export const isForbidden = is(403)
export const isUnauthorized = is(401)
export const isAlreadyExists = is(409, 'AlreadyExists')
export const isConflict = is(409, 'Conflict')
export const isInvalid = is(422)
export const isTooManyRequests = is(429)
/** The resourceVersion or continue token is older than what the server keeps: list again. */
export const isExpired = is(410)
