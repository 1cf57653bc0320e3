import type { Clock } from '../../../core/clock.ts'
import { stopwatch } from './stopwatch.ts'

/** Who waits comes first; pools and sweeps take what is left. */
export type Priority = 'request' | 'background'

export interface Rate {
  /** Calls a second, in the long run. */
  rps: number
  /** That many at once after a rest. */
  burst: number
}

interface Waiter {
  priority: Priority
  go(): void
}

export interface Budget {
  /**
   * Resolves to 0 when a call may be made, in turn. Resolves to the wait that it would take, in milliseconds, when that is
   * longer than `patienceMs`: nothing was taken then. Rejects with the signal's reason.
   */
  take(priority: Priority, patienceMs: number, signal: AbortSignal): Promise<number>
  /** Nobody calls before that: the registry has asked for it. */
  holdOff(ms: number): void
}

/** What a process may ask of one registry: a bucket of tokens that fills by the clock. */
export function budget(clock: Clock, { rps, burst }: Rate): Budget {
  let tokens = burst
  const ranMs = stopwatch(clock)
  let filledAt = 0
  let heldUntil = 0
  let waiters: Waiter[] = []
  let alarm: Disposable | undefined

  const fill = () => {
    const now = ranMs()
    tokens = Math.min(burst, tokens + ((now - filledAt) / 1000) * rps)
    filledAt = now
    return now
  }
  const waitMs = (ahead: number) => {
    const now = fill()
    return Math.max(heldUntil - now, ((ahead + 1 - tokens) / rps) * 1000, 0)
  }
  const ahead = (priority: Priority) =>
    priority === 'background' ? waiters.length : waiters.filter((waiter) => waiter.priority === 'request').length

  const serve = () => {
    alarm?.[Symbol.dispose]()
    alarm = undefined
    while (waiters.length > 0 && waitMs(0) === 0) {
      const next = waiters.find(({ priority }) => priority === 'request') ?? (waiters[0] as Waiter)
      tokens--
      next.go()
    }
    if (waiters.length > 0) alarm = clock.countdown(Math.max(1, Math.ceil(waitMs(0))), serve)
  }

  return {
    take(priority, patienceMs, signal) {
      if (signal.aborted) return Promise.reject(signal.reason)
      const expectedMs = waitMs(ahead(priority))
      if (expectedMs > patienceMs) return Promise.resolve(expectedMs)
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiters = waiters.filter((other) => other !== waiter)
          deadline?.[Symbol.dispose]()
          signal.removeEventListener('abort', onAbort)
        }
        const waiter: Waiter = {
          priority,
          go: () => {
            leave()
            resolve(0)
          },
        }
        const onAbort = () => {
          leave()
          reject(signal.reason)
        }
        // Those of a higher priority may have come in between, or the registry may have asked for more time.
        const onDeadline = () => {
          leave()
          resolve(Math.max(1, waitMs(ahead(priority))))
        }
        const deadline = expectedMs > 0 ? clock.countdown(Math.ceil(patienceMs) + 1, onDeadline) : undefined
        signal.addEventListener('abort', onAbort, { once: true })
        waiters.push(waiter)
        serve()
      })
    },
    holdOff(ms) {
      heldUntil = Math.max(heldUntil, ranMs() + ms)
    },
  }
}
