import type { Clock } from '../../../core/clock.ts'

/**
 * Milliseconds that have passed, as far as the wall clock tells. Set back, it costs the time since the last look and no
 * more; a date to wait for would last as much longer.
 */
export function stopwatch(clock: Pick<Clock, 'now'>): () => number {
  let ranMs = 0
  let lookedAt = clock.now().getTime()
  return () => {
    const now = clock.now().getTime()
    ranMs += Math.max(0, now - lookedAt)
    lookedAt = now
    return ranMs
  }
}
