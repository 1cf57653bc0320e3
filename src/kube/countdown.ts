import type { Clock } from '../core/clock.ts'
import { after } from '../core/clock.ts'

/**
 * A clock that can also count time awake. `Clock.timer` waits for a moment of the wall clock, so a wall clock that is
 * set back makes it late by as much. That is right for an expiry and wrong for a duration on which two processes rely.
 */
export interface CountingClock extends Clock {
  /** Calls `action` once, `ms` of running time from now, whatever happens to the wall clock. Absent: `timer` stands in. */
  countdown?(ms: number, action: () => void): Disposable
}

export const countdown = (clock: CountingClock, ms: number, action: () => void): Disposable =>
  clock.countdown ? clock.countdown(ms, action) : clock.timer(after(clock.now(), ms), action)

/** Resolves after `ms` of running time, or as soon as the signal aborts. */
export const pause = (clock: CountingClock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const over = () => {
      timer[Symbol.dispose]()
      signal.removeEventListener('abort', over)
      resolve()
    }
    const timer = countdown(clock, ms, over)
    signal.addEventListener('abort', over, { once: true })
  })
