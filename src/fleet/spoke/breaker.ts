/** Whether calls to a cluster are tried. Pure: a state and what happened give the next state. Times in milliseconds. */
export type Breaker =
  | { readonly is: 'closed'; readonly failures: number; readonly lostAt?: number }
  /** Nothing is tried until then. */
  | { readonly is: 'open'; readonly failures: number; readonly until: number }
  /** One call is under way that decides. If nothing is heard of it until then, another one may. */
  | { readonly is: 'trying'; readonly failures: number; readonly until: number }

export interface BreakerLimits {
  /** In a row. */
  failures: number
  /** How long nothing is tried. */
  openMs: number
}

export const closed: Breaker = { is: 'closed', failures: 0 }

/** Whether a call may be made now. Of those that come once the pause is over, the first is the trial. */
export function admit(
  breaker: Breaker,
  now: number,
  limits: BreakerLimits,
): { readonly next: Breaker; readonly waitMs: number } {
  if (breaker.is === 'closed') return { next: breaker, waitMs: 0 }
  // A clock that was set back must not make the pause longer than it is.
  const until = Math.min(breaker.until, now + limits.openMs)
  if (until > now) return { next: until === breaker.until ? breaker : { ...breaker, until }, waitMs: until - now }
  return { next: { is: 'trying', failures: breaker.failures, until: now + limits.openMs }, waitMs: 0 }
}

/** The call that was to decide ended before anything was known: the next one may. `trial` is what it was admitted with. */
export const givenUp = (breaker: Breaker, trial: Breaker, now: number): Breaker =>
  breaker === trial && breaker.is === 'trying' ? { is: 'open', failures: breaker.failures, until: now } : breaker

/** One answer, whatever it says, is enough: what is looked for is an API server that is not there. */
export const answered = (): Breaker => closed

/** What is lost within this time is lost together: a connection that breaks takes every call on it along. */
const togetherMs = 1_000

/** A try without an answer. A trial that fails opens again at once. */
export function lost(breaker: Breaker, now: number, limits: BreakerLimits): Breaker {
  const { failures: before } = breaker
  if (breaker.is !== 'closed') return { is: 'open', failures: before + 1, until: now + limits.openMs }
  const sinceMs = breaker.lostAt === undefined ? togetherMs : Math.abs(now - breaker.lostAt)
  if (sinceMs < togetherMs) return breaker
  const failures = before + 1
  if (failures >= limits.failures) return { is: 'open', failures, until: now + limits.openMs }
  return { is: 'closed', failures, lostAt: now }
}
