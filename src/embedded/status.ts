import type { FieldError } from '../core/schema/field-errors.ts'
import { fieldErrorText } from '../core/schema/field-errors.ts'
import { goQuote } from './go-quote.ts'
import { resourceName } from './objects.ts'

/** What the API says instead of an object, in the words of Kubernetes: clients read `reason`, people the message. */
export interface Status {
  kind: 'Status'
  apiVersion: 'v1'
  metadata: { continue?: string }
  status: 'Failure' | 'Success'
  message?: string
  reason?: string
  details?: StatusDetails
  code?: number
}

export interface StatusDetails {
  name?: string
  group?: string
  kind?: string
  uid?: string
  causes?: { reason?: string; message?: string; field?: string }[]
  retryAfterSeconds?: number
}

/** The API's "no". Everything below the server throws this for what is the caller's to know; anything else is a 500. */
export class ApiFailure extends Error {
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails | undefined
  readonly metadata: { continue?: string }

  constructor(code: number, reason: string, message: string, details?: StatusDetails, metadata = {}) {
    super(message)
    this.name = 'ApiFailure'
    this.code = code
    this.reason = reason
    this.details = details
    this.metadata = metadata
  }

  toStatus(): Status {
    const { message, reason, details, code, metadata } = this
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      ...(reason && { reason }),
      ...(details && { details }),
      code,
    }
  }
}

/** Names a resource in a message and in `details`. */
export interface About {
  group: string
  plural: string
}

const detailsOf = ({ group, plural }: About, name: string): StatusDetails => ({
  ...(name && { name }),
  ...(group && { group }),
  kind: plural,
})

const named = ({ group, plural }: About, name: string) => `${resourceName(group, plural)} ${goQuote(name)}`

export const badRequest = (message: string) => new ApiFailure(400, 'BadRequest', message)

export const unauthorized = () => new ApiFailure(401, 'Unauthorized', 'Unauthorized')

/** For what a rule of a kind or an admission step forbids. The authorizer's "no" has a sentence of its own. */
export const forbidden = (about: About, name: string, why: string) =>
  new ApiFailure(403, 'Forbidden', `${named(about, name)} is forbidden: ${why}`, detailsOf(about, name))

export const notFound = (about: About, name: string) =>
  new ApiFailure(404, 'NotFound', `${named(about, name)} not found`, detailsOf(about, name))

/** For a path that nothing is served under. */
export const noSuchPath = () => new ApiFailure(404, 'NotFound', 'the server could not find the requested resource', {})

export const methodNotAllowed = (message = 'the server does not allow this method on the requested resource') =>
  new ApiFailure(405, 'MethodNotAllowed', message, {})

export const notAcceptable = (message: string) => new ApiFailure(406, 'NotAcceptable', message)

export const alreadyExists = (about: About, name: string, isGoing = false) => {
  const message = `${isGoing ? 'object is being deleted: ' : ''}${named(about, name)} already exists`
  return new ApiFailure(409, 'AlreadyExists', message, detailsOf(about, name))
}

export const conflict = (
  about: About,
  name: string,
  why = 'the object has been modified; please apply your changes to the latest version and try again',
) =>
  new ApiFailure(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${named(about, name)}: ${why}`,
    detailsOf(about, name),
  )

export const expired = (message: string) => new ApiFailure(410, 'Expired', message)

export const tooLarge = (message: string) => new ApiFailure(413, 'RequestEntityTooLarge', message)

export const unsupportedMediaType = (message: string) => new ApiFailure(415, 'UnsupportedMediaType', message)

/** `ConfigMap "x" is invalid: metadata.name: Required value`; several errors stand in brackets. */
export function invalid(kind: { group: string; kind: string }, name: string, errors: readonly FieldError[]) {
  const texts = [...new Set(errors.map(fieldErrorText))]
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return new ApiFailure(422, 'Invalid', `${resourceName(kind.group, kind.kind)} ${goQuote(name)} is invalid: ${list}`, {
    ...(name && { name }),
    ...(kind.group && { group: kind.group }),
    ...(kind.kind && { kind: kind.kind }),
    causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
  })
}

export const tooManyRequests = (message: string, retryAfterSeconds: number) =>
  new ApiFailure(429, 'TooManyRequests', message, { retryAfterSeconds })

/** This control plane cannot do now what it would otherwise do: nothing was done, and nothing was decided. */
export const unavailable = (message: string) =>
  new ApiFailure(503, 'ServiceUnavailable', message, { retryAfterSeconds: 1 })

export const overloaded = () => unavailable('the control plane is overloaded, please try again later')

export const closing = () => unavailable('the control plane is being stopped')

export const conditionsTooLong = () =>
  unavailable('the conditions of a webhook take too long to be evaluated on this request')

export const internalError = (message: string) =>
  new ApiFailure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })
