import { createLocalJWKSet, errors } from 'jose'
import type { Clock } from '../../core/clock.ts'
import type { KeyFor } from './jwks.ts'
import { KeysAway } from './jwks.ts'

/** How long keys are good before they are asked for again: a withdrawn one counts no longer. */
const keptMs = 3_600_000
/** Between two fetches for the sake of a key that is not known: anybody can name one. */
const pauseMs = 10_000

/** Keys that are fetched by whatever `fetch` does, once for all who wait. It gives a JWKS, or throws. */
export function keptKeys(fetch: () => Promise<unknown>, clock: Pick<Clock, 'now'>): KeyFor {
  let kept: { keys: KeyFor; at: number } | undefined
  let underWay: Promise<{ keys: KeyFor; at: number }> | undefined

  const load = async () => {
    try {
      const keys = createLocalJWKSet((await fetch()) as Parameters<typeof createLocalJWKSet>[0])
      kept = { keys, at: clock.now().getTime() }
      return kept
    } catch (error) {
      throw new KeysAway('the keys of the issuer cannot be had', { cause: error })
    } finally {
      underWay = undefined
    }
  }
  const loaded = () => {
    underWay ??= load()
    return underWay
  }
  const isOlder = (at: number, ms: number) => Math.abs(clock.now().getTime() - at) >= ms

  return async (header, token) => {
    const known = kept && !isOlder(kept.at, keptMs) ? kept : await loaded()
    try {
      return await known.keys(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !isOlder(known.at, pauseMs)) throw error
      return await (await loaded()).keys(header, token)
    }
  }
}
