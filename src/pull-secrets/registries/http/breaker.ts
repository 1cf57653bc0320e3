import type { Clock } from '../../../core/clock.ts'
import { stopwatch } from './stopwatch.ts'

const failuresToOpen = 5

export type BreakerState = 'closed' | 'open' | 'half-open'

export interface Breaker {
  readonly state: BreakerState
  /** How long until a call may go, as it looks now; 0 for at once. */
  blockedMs(): number
  /** The same, and whoever gets 0 goes, and reports the outcome. */
  admit(): number
  succeeded(): void
  failed(): void
  /** The call was never made, or was called off: it says nothing about the registry. */
  withdrawn(): void
}

/**
 * Opens after five failures in a row; after a while lets a single call try. While it is open nobody waits for a
 * registry that is down, and the registry is not kept down by those who wait.
 */
export function breaker(clock: Clock, openMs: number, onChange: (state: BreakerState) => void = () => {}): Breaker {
  let state: BreakerState = 'closed'
  let inARow = 0
  const ranMs = stopwatch(clock)
  let openUntil = 0
  let isProbing = false
  const become = (next: BreakerState) => {
    if (state === next) return
    state = next
    onChange(next)
  }
  const blockedMs = () => {
    if (state === 'closed') return 0
    const leftMs = openUntil - ranMs()
    return leftMs > 0 || !isProbing ? Math.max(0, leftMs) : Math.max(1, openMs)
  }
  return {
    get state() {
      return state
    },
    blockedMs,
    admit() {
      const waitMs = blockedMs()
      if (waitMs > 0 || state === 'closed') return waitMs
      isProbing = true
      become('half-open')
      return 0
    },
    succeeded() {
      inARow = 0
      isProbing = false
      become('closed')
    },
    failed() {
      inARow++
      const isProbe = isProbing
      isProbing = false
      if (!isProbe && (state !== 'closed' || inARow < failuresToOpen)) return
      openUntil = ranMs() + openMs
      become('open')
    },
    withdrawn() {
      isProbing = false
    },
  }
}
