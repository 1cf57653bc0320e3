import type { Clock } from '../core/clock.ts'
import { isFailure } from '../core/failure.ts'
import { isFresh } from './spoke/oidc/lifetime.ts'
import { unlessAborted } from './spoke/oidc/unless-aborted.ts'

/** A token that took the place of a refused one is not replaced for the same cause this soon: the next would be refused, too. */
const refreshEveryMs = 10_000
/** An issuer that gave no token is left alone this long: a hub with a thousand calls must not ask a thousand times. */
const retryAfterMs = 1_000

export interface OnDemandToken<T> {
  /**
   * Fresh for at least 30 seconds, where its life allows. `refresh`: the API server refused the last one. The signal ends
   * the waiting of this caller, not the request that others wait for.
   */
  current(options?: { refresh?: boolean; signal?: AbortSignal }): Promise<T>
  isUnderWay(): boolean
}

/** Kept in memory: the token at hand while it is fresh, else another, obtained once for all who wait. */
export function onDemandToken<T extends { issuedAt: Date; expiresAt: Date }>(
  obtain: () => Promise<T>,
  clock: Pick<Clock, 'now'>,
): OnDemandToken<T> {
  let held: { token: T; replacedAt?: number } | undefined
  let failed: { failure: Error; at: number } | undefined
  let underWay: Promise<T> | undefined

  async function renew(isReplacing: boolean): Promise<T> {
    try {
      const token = await obtain()
      held = { token, ...(isReplacing && { replacedAt: clock.now().getTime() }) }
      failed = undefined
      return token
    } catch (error) {
      if (isFailure(error)) failed = { failure: error, at: clock.now().getTime() }
      throw error
    } finally {
      underWay = undefined
    }
  }

  return {
    async current({ refresh = false, signal } = {}) {
      signal?.throwIfAborted()
      const now = clock.now()
      const mayReplace = refresh && !isWithin(held?.replacedAt, now, refreshEveryMs)
      if (held && isFresh(held.token, now) && !mayReplace) return held.token
      if (!underWay && failed && isWithin(failed.at, now, retryAfterMs)) throw failed.failure
      underWay ??= renew(refresh)
      // Whoever asked may have given up since.
      underWay.catch(() => {})
      return await unlessAborted(underWay, signal)
    },
    isUnderWay: () => underWay !== undefined,
  }
}

const isWithin = (at: number | undefined, now: Date, limitMs: number): boolean =>
  at !== undefined && now.getTime() >= at && now.getTime() - at < limitMs
