import type { Failure } from '../../../core/failure.ts'
import { failures } from '../../failures.ts'
import type { Answer } from './answer.ts'
import { NoAnswer } from './answer.ts'
import type { Line } from './line.ts'
import { retryAfterMs } from './retry-after.ts'
import type { RoutedCall } from './route.ts'

/** Whether a call may be sent again although the one before may have had an effect. */
export type Repeat = 'safe' | 'create'

/** What to hand back, or what to throw unless the call is repeated. */
export type Judged = { answer: Answer } | { failure: Failure; isRepeated: boolean }

const retriedStatuses = new Set([502, 503, 504, 520])

export const unavailable = (registry: string, detail: string, waitMs: number, cause?: unknown): Failure =>
  failures.REGISTRY_UNAVAILABLE({ registry, detail, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) }, cause)

const uncertain = (registry: string, detail: string, cause?: unknown): Failure =>
  failures.REGISTRY_UNCERTAIN({ registry, detail }, cause)

/** Of our own credentials. */
export const isRefusal = ({ status }: Answer): boolean => status === 401 || status === 403

/** What comes from behind the door, whatever it says. */
export const isAdmission = ({ status }: Answer): boolean => status < 300 || [400, 404, 409].includes(status)

export function judgeAnswer(line: Line, answer: Answer, { method }: RoutedCall, repeat: Repeat): Judged {
  const { registry, clock, budget, log, retryBaseMs } = line
  const { status, headers } = answer
  if (isRefusal(answer)) throw failures.REGISTRY_UNAUTHORIZED({ registry })
  if (status >= 300 && status < 400)
    throw failures.REGISTRY_REFUSED({ registry, detail: 'it answers with a redirect, which is never followed' })
  if (status < 500 && status !== 429) return { answer }
  const askedMs = retryAfterMs(headers['retry-after'], clock.now())
  if (askedMs !== undefined) budget.holdOff(askedMs)
  const waitMs = askedMs ?? retryBaseMs
  if (status === 429) return { failure: unavailable(registry, 'it asks for fewer calls', waitMs), isRepeated: true }
  log.debug({ status, method }, 'registry failed')
  const detail = `status ${status}`
  return {
    failure: method === 'GET' ? unavailable(registry, detail, waitMs) : uncertain(registry, detail),
    isRepeated: repeat === 'safe' && retriedStatuses.has(status),
  }
}

/** Throws what is no silence of the registry. */
export function judgeError(line: Line, error: unknown, { method }: RoutedCall, repeat: Repeat): Judged {
  if (!(error instanceof NoAnswer)) throw error
  const { registry, log, retryBaseMs } = line
  const { why, wasSent } = error
  log.debug({ why, wasSent, method }, 'registry did not answer')
  if (why === 'certificate-refused') throw failures.REGISTRY_UNAUTHORIZED({ registry }, error)
  if (!wasSent) return { failure: unavailable(registry, 'it cannot be reached', retryBaseMs, error), isRepeated: true }
  if (why === 'too-large' && method === 'GET')
    throw failures.REGISTRY_REFUSED({ registry, detail: 'its answer is longer than any should be' }, error)
  if (why === 'timeout') return { failure: uncertain(registry, 'it did not answer in time', error), isRepeated: false }
  const detail = 'the connection was lost'
  return {
    failure: method === 'GET' ? unavailable(registry, detail, retryBaseMs, error) : uncertain(registry, detail, error),
    isRepeated: repeat === 'safe' && why === 'reset',
  }
}
