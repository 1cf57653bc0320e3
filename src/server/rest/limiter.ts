import type { Clock } from '../../core/clock.ts'
import type { Rate } from '../../fleet/rest.ts'

export interface Allowance {
  isAllowed: boolean
  limit: number
  remaining: number
  /** Until everything is allowed again. */
  resetSeconds: number
  /** Until the next one is allowed. */
  retryAfterSeconds: number
}

/** How often one caller may do something. */
export type Limiter = (caller: string) => Allowance

/** Callers that are remembered; whoever was silent for longest is forgotten first. */
const mostCallers = 100_000

/** So many a minute on average, and no more than `burst` at once. */
export function rateLimiter(clock: Pick<Clock, 'now'>, rate: Rate | (() => Rate)): Limiter {
  const buckets = recent<{ tokens: number; at: number }>()
  return (caller) => {
    const { perMinute, burst } = typeof rate === 'function' ? rate() : rate
    const perMs = perMinute / 60_000
    const now = clock.now().getTime()
    const { tokens, at } = buckets.get(caller) ?? { tokens: burst, at: now }
    const filled = Math.min(burst, tokens + Math.max(0, now - at) * perMs)
    const isAllowed = filled >= 1
    const left = isAllowed ? filled - 1 : filled
    buckets.set(caller, { tokens: left, at: now })
    return {
      isAllowed,
      limit: perMinute,
      remaining: Math.floor(left),
      resetSeconds: Math.ceil((burst - left) / perMs / 1_000),
      retryAfterSeconds: isAllowed ? 0 : Math.max(1, Math.ceil((1 - left) / perMs / 1_000)),
    }
  }
}

/** Never more than so many within any stretch of the window: what a bucket would let through twice over. */
export function windowLimiter(
  clock: Pick<Clock, 'now'>,
  { most, windowMs }: { most: number; windowMs: number },
): Limiter {
  const times = recent<number[]>()
  return (caller) => {
    const now = clock.now().getTime()
    const within = (times.get(caller) ?? []).filter((at) => at > now - windowMs)
    const isAllowed = within.length < most
    if (isAllowed) within.push(now)
    times.set(caller, within)
    const secondsUntilOver = (at: number) => Math.max(1, Math.ceil((at + windowMs - now) / 1_000))
    return {
      isAllowed,
      limit: most,
      remaining: most - within.length,
      resetSeconds: secondsUntilOver(within.at(-1) ?? now),
      retryAfterSeconds: isAllowed ? 0 : secondsUntilOver(within[0] ?? now),
    }
  }
}

function recent<T>() {
  const kept = new Map<string, T>()
  return {
    get: (key: string) => kept.get(key),
    set(key: string, value: T) {
      kept.delete(key)
      kept.set(key, value)
      const [oldest] = kept.keys()
      if (kept.size > mostCallers && oldest !== undefined) kept.delete(oldest)
    },
  }
}

export const limitHeaders = ({ limit, remaining, resetSeconds }: Allowance): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': String(Math.max(0, remaining)),
  'x-ratelimit-reset': String(resetSeconds),
})
