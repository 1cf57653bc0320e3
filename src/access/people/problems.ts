import type { Failure } from '../../core/failure.ts'
import type { FieldError, ProblemOf, ProblemSlug, ProblemStyle } from '../../fleet/rest.ts'
import { denialReasonOf } from '../sessions/index.ts'

const codes: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  422: 'UNPROCESSABLE_ENTITY',
  429: 'TOO_MANY_REQUESTS',
}

export const problemStyle: ProblemStyle = {
  types: 'urn:lanyard:problem',
  codeOf: (status) => codes[status] ?? (status < 500 ? 'BAD_REQUEST' : 'INTERNAL_ERROR'),
  everywhere: {
    '400': 'What was sent is not right.',
    '401': 'No token, a wrong one or one that has expired.',
    '403': 'The caller may not do this. Of a decision on a session, `denialReason` says why.',
    '413': 'The body is too large.',
    '429': 'Too many calls; `Retry-After` says when to try again.',
    '500': 'A mistake on this side.',
    '503': 'An identity provider, or the API server of the hub, does not answer at present.',
  },
  bearer: 'A JWT of an IdentityProvider of the hub, for its audience.',
}

const slugs: Readonly<Record<number, ProblemSlug>> = {
  400: 'invalid-request',
  401: 'invalid-credentials',
  403: 'permission-denied',
  404: 'resource-not-found',
  409: 'resource-conflict',
  422: 'validation-error',
  429: 'rate-limit-exceeded',
}

/** Failures of access alone: what others throw is no answer to a person. */
export const problemOf: ProblemOf = (failure) => {
  const slug = slugs[failure.status]
  if (!failure.code.startsWith('ACCESS_') || !slug) return undefined
  const { retryAfterSeconds } = failure.params
  return {
    ...{ code: failure.code, slug, ...errorsIn(failure), more: moreIn(failure) },
    ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
  }
}

function errorsIn({ params }: Failure) {
  const errors = params['errors'] as readonly FieldError[] | undefined
  return errors ? { errors } : {}
}

function moreIn(failure: Failure): Record<string, unknown> {
  const denialReason = denialReasonOf(failure)
  const { session } = failure.params
  return {
    // What exactly, where `code` only says of what kind.
    reason: failure.code,
    ...(denialReason && { denialReason }),
    ...(session !== undefined && { session }),
  }
}
