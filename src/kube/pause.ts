import type { Clock } from '../core/clock.ts'

/** Resolves after `ms` of running time, or as soon as the signal aborts. */
export const pause = (clock: Pick<Clock, 'countdown'>, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const over = () => {
      timer[Symbol.dispose]()
      signal.removeEventListener('abort', over)
      resolve()
    }
    const timer = clock.countdown(ms, over)
    signal.addEventListener('abort', over, { once: true })
  })
