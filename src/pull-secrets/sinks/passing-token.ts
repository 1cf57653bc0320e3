import type { Clock } from '../../core/clock.ts'
import { after } from '../../core/clock.ts'
import type { Secret } from '../../core/secret.ts'

export interface PassingToken {
  token: Secret
  /** From when it was given. */
  lifetimeSeconds: number
}

/** A token of the platform, kept until a fifth of its life is left; `refused` throws it away before. */
export function passingToken(clock: Pick<Clock, 'now'>, fetch: (signal: AbortSignal) => Promise<PassingToken>) {
  let kept: { token: Secret; until: Date } | undefined
  return {
    async get(signal: AbortSignal): Promise<Secret> {
      if (kept && clock.now() < kept.until) return kept.token
      const asked = clock.now()
      const { token, lifetimeSeconds } = await fetch(signal)
      kept = { token, until: after(asked, lifetimeSeconds * 800) }
      return token
    },
    refused(): void {
      kept = undefined
    },
  }
}
