import type { Clock } from '../../../core/clock.ts'

/** Wakes one sleeper. A ring while nobody sleeps is remembered until the next `reset`. */
export interface Bell {
  ring(): void
  /** Rings after this, unless it rings before: what comes in a burst is looked at once. */
  ringWithin(ms: number): void
  /** Forgets earlier rings: called before looking at the world, so that what changes while looking counts. */
  reset(): void
  /** Resolves after `ms` or when it rings; without `ms` only when it rings. Rejects with the signal's reason. */
  wait(ms: number | undefined, signal: AbortSignal): Promise<void>
}

/** Like core's wakeUp, but by running time: a corrected wall clock must not silence an agent. */
export function bell(clock: Pick<Clock, 'countdown'>): Bell {
  let hasRung = false
  let wake: () => void = () => {}
  let pending: Disposable | undefined
  const calm = () => {
    pending?.[Symbol.dispose]()
    pending = undefined
  }
  const ring = () => {
    calm()
    hasRung = true
    wake()
  }
  return {
    ring,
    ringWithin(ms) {
      pending ??= clock.countdown(ms, ring)
    },
    reset() {
      calm()
      hasRung = false
    },
    wait(ms, signal) {
      if (hasRung) return Promise.resolve()
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const finish = (settle: () => void) => () => {
          timer?.[Symbol.dispose]()
          signal.removeEventListener('abort', onAbort)
          wake = () => {}
          settle()
        }
        const onAbort = finish(() => {
          calm()
          reject(signal.reason)
        })
        const onWake = finish(resolve)
        const timer = ms === undefined ? undefined : clock.countdown(ms, onWake)
        wake = onWake
        signal.addEventListener('abort', onAbort, { once: true })
      })
    },
  }
}
