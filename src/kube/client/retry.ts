import { backoffMs } from '../../core/backoff.ts'
import type { Random } from '../../core/random.ts'
import type { Lost } from './transport.ts'

/** What to do after one try of a call. */
export type Verdict =
  | { readonly next: 'accept' }
  | { readonly next: 'retry'; readonly afterMs: number }
  /** At once, with credentials asked for anew. */
  | { readonly next: 'refresh' }
  | { readonly next: 'give up' }

export interface Tries {
  method: string
  /** Answers that asked us to come back later. */
  postponed: number
  /** Tries without an answer, and how many of them may be followed by another. */
  lost: number
  mostLost: number
  canRefresh: boolean
}

const accept: Verdict = { next: 'accept' }
const giveUp: Verdict = { next: 'give up' }
const refresh: Verdict = { next: 'refresh' }

/** As many as client-go. */
const mostPostponed = 10
const betweenTries = { baseMs: 50, maxMs: 1_600 }

export function afterAnswer(status: number, retryAfter: string | undefined, tries: Tries): Verdict {
  if (status === 401 && tries.canRefresh) return refresh
  if (!isPostponed(status, retryAfter, tries.method)) return accept
  return tries.postponed < mostPostponed ? { next: 'retry', afterMs: waitMs(retryAfter) } : accept
}

/**
 * 429, and 503 with Retry-After, mean that nothing was done, whatever the method. Behind any other 5xx a write may have
 * been carried out: repeated, it would be told of a conflict with itself.
 */
function isPostponed(status: number, retryAfter: string | undefined, method: string): boolean {
  if (status === 429) return true
  return retryAfter !== undefined && (status === 503 || (status >= 500 && method === 'GET'))
}

/** What may have reached the server is repeated for reads only. */
export function afterLoss(lost: Lost, tries: Tries, random: Random): Verdict {
  if (lost.final || tries.lost >= tries.mostLost || (lost.sent && tries.method !== 'GET')) return giveUp
  return { next: 'retry', afterMs: backoffMs(tries.lost, betweenTries, random) }
}

function waitMs(retryAfter: string | undefined): number {
  const seconds = Number(retryAfter)
  return Number.isFinite(seconds) && seconds >= 0 && retryAfter !== undefined ? seconds * 1_000 : 1_000
}
