import type { Clock } from '../../../core/clock.ts'
import type { Report } from '../../../core/keep-fresh.ts'
import { reasons } from '../../../core/reasons.ts'

/**
 * Counts the life of a token by running time besides the wall clock, which may be set back by more than a short token
 * has left.
 */
export interface RunningTime {
  /** Counts on from what the loop has just said. */
  follow(report: Report): void
  /** Whether the token is due by running time, whatever its dates say. */
  isDue(fingerprint: string): boolean
  stop(): void
}

export function runningTime(clock: Clock, poke: () => void): RunningTime {
  let next: Disposable | undefined
  let refresh: { readonly of: string; readonly timer: Disposable; isDue: boolean } | undefined
  const count = (until: Date, act: () => void = () => {}) =>
    clock.countdown(Math.max(0, until.getTime() - clock.now().getTime()), () => {
      act()
      // By the wall clock the loop wakes by itself, and once is enough.
      if (clock.now() < until) poke()
    })
  const stop = () => {
    next?.[Symbol.dispose]()
    refresh?.timer[Symbol.dispose]()
  }
  return {
    stop,
    isDue: (fingerprint) => refresh?.of === fingerprint && refresh.isDue,
    follow({ state, pass, nextAt }) {
      next?.[Symbol.dispose]()
      next = nextAt && count(nextAt)
      // Once for each token: dates that are read again later are by another clock, should it have been set since.
      if (state !== reasons.PassIssued || !pass?.renewAt || pass.fingerprint === refresh?.of) return
      refresh?.timer[Symbol.dispose]()
      const timer = count(pass.renewAt, () => {
        if (refresh) refresh.isDue = true
      })
      refresh = { of: pass.fingerprint, timer, isDue: false }
    },
  }
}
