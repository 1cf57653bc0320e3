import type { Clock } from '../../../../core/clock.ts'
import type { Failure } from '../../../../core/failure.ts'
import { isFailure } from '../../../../core/failure.ts'
import { deadline } from '../../../../kube/deadline.ts'
import { failures } from '../failures.ts'

/** The SDK's own retries, which back off when AWS throttles, stay within this many tries and this time. */
export const attempts = 3
export const callMs = 10_000
export const requestMs = 4_000

type Refusal =
  | 'AWS_NOT_FOUND'
  | 'AWS_ALREADY_THERE'
  | 'AWS_CONFLICT'
  | 'AWS_THROTTLED'
  | 'AWS_INVALID'
  | 'AWS_REFUSED'
  | 'AWS_LIMIT'
  | 'AWS_CREDENTIALS_WRONG'

/** Error names of IAM and EKS by what they mean here. Those of the query protocol come with and without `Exception`. */
const meanings: Readonly<Record<string, Refusal>> = {
  NoSuchEntity: 'AWS_NOT_FOUND',
  ResourceNotFound: 'AWS_NOT_FOUND',
  NotFound: 'AWS_NOT_FOUND',
  EntityAlreadyExists: 'AWS_ALREADY_THERE',
  ResourceInUse: 'AWS_ALREADY_THERE',
  DeleteConflict: 'AWS_CONFLICT',
  ConcurrentModification: 'AWS_CONFLICT',
  EntityTemporarilyUnmodifiable: 'AWS_CONFLICT',
  ResourcePropagationDelay: 'AWS_CONFLICT',
  InvalidState: 'AWS_CONFLICT',
  Throttling: 'AWS_THROTTLED',
  ThrottledException: 'AWS_THROTTLED',
  RequestThrottled: 'AWS_THROTTLED',
  RequestLimitExceeded: 'AWS_THROTTLED',
  TooManyRequests: 'AWS_THROTTLED',
  SlowDown: 'AWS_THROTTLED',
  MalformedPolicyDocument: 'AWS_INVALID',
  InvalidInput: 'AWS_INVALID',
  InvalidParameter: 'AWS_INVALID',
  InvalidRequest: 'AWS_INVALID',
  ValidationError: 'AWS_INVALID',
  Validation: 'AWS_INVALID',
  BadRequest: 'AWS_INVALID',
  AccessDenied: 'AWS_REFUSED',
  UnauthorizedOperation: 'AWS_REFUSED',
  UnmodifiableEntity: 'AWS_REFUSED',
  LimitExceeded: 'AWS_LIMIT',
  ResourceLimitExceeded: 'AWS_LIMIT',
  InvalidClientTokenId: 'AWS_CREDENTIALS_WRONG',
  UnrecognizedClient: 'AWS_CREDENTIALS_WRONG',
  SignatureDoesNotMatch: 'AWS_CREDENTIALS_WRONG',
  InvalidSignature: 'AWS_CREDENTIALS_WRONG',
  IncompleteSignature: 'AWS_CREDENTIALS_WRONG',
  MissingAuthenticationToken: 'AWS_CREDENTIALS_WRONG',
  ExpiredToken: 'AWS_CREDENTIALS_WRONG',
  RequestExpired: 'AWS_CREDENTIALS_WRONG',
  RequestTimeTooSkewed: 'AWS_CREDENTIALS_WRONG',
}

interface Thrown {
  name?: string
  $metadata?: { httpStatusCode?: number; requestId?: string }
}

/** Where AWS cannot verify a signature, it repeats the request that it expected, with the session token. */
const withoutWords = (name: string, metadata: Thrown['$metadata']): Error =>
  Object.assign(new Error(`AWS request ${metadata?.requestId ?? 'without an id'}`), { name })

/** What the SDK threw, as one of ours. By name and status, never by text. */
export function failureOf(operation: string, error: unknown): Failure {
  if (isFailure(error)) return error
  const { name = 'Error', $metadata } = (error ?? {}) as Thrown
  if (name === 'CredentialsProviderError') return failures.AWS_NO_CREDENTIALS({ operation }, error)
  const said = { operation, code: name }
  const meaning = meanings[name] ?? meanings[name.replace(/Exception$/, '')]
  if (meaning)
    return failures[meaning](said, meaning === 'AWS_CREDENTIALS_WRONG' ? withoutWords(name, $metadata) : error)
  switch ($metadata?.httpStatusCode) {
    case 403:
      return failures.AWS_REFUSED(said, withoutWords(name, $metadata))
    case 429:
      return failures.AWS_THROTTLED(said, error)
    default:
      return failures.AWS_UNAVAILABLE(said, error)
  }
}

/** One call to AWS: `operation` is named as IAM policies do, such as `iam:GetRole`. */
export type Call = <R>(operation: string, send: (options: { abortSignal: AbortSignal }) => Promise<R>) => Promise<R>

/** Gives every call its end, and every error its meaning. */
export const calling =
  (clock: Pick<Clock, 'countdown'>, deadlineMs = callMs): Call =>
  async (operation, send) => {
    using limit = deadline(clock, deadlineMs, () => failures.AWS_DEADLINE({ operation, deadlineMs }))
    try {
      return await orAborted(send({ abortSignal: limit.signal }), limit.signal)
    } catch (error) {
      throw limit.signal.aborted ? limit.signal.reason : failureOf(operation, error)
    }
  }

/** The SDK looks at the signal only once it has credentials, and to find them may take for ever. */
const orAborted = <R>(sent: Promise<R>, signal: AbortSignal): Promise<R> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    sent.then(resolve, reject)
  })

/** The answer, or undefined where AWS knows no such object. */
export const orNothing = async <R>(answer: Promise<R>): Promise<R | undefined> => {
  try {
    return await answer
  } catch (error) {
    if (isFailure(error, 'AWS_NOT_FOUND')) return undefined
    throw error
  }
}
