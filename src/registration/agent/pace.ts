import { backoffMs } from '../../core/backoff.ts'
import type { Clock } from '../../core/clock.ts'
import type { Random } from '../../core/random.ts'

/** So many are not held up, and neither are the first after so long without one, which is longer than any pause. */
const [burst, calmMs] = [5, 60_000]
const pauses = { baseMs: 100, maxMs: 30_000 }

export interface Pace {
  /** Milliseconds until this may be written: 0 for what is not what was written last. */
  leftMs(words: string): number
  /** It has just been written. */
  written(words: string): void
}

/**
 * News are never held up, nor are a few that say the same as the one before; those that follow are, longer and longer.
 *
 * Somebody undoes them: another agent that reports other facts of the same cluster, a copy, or one that was replaced and
 * goes on. Each writes again whenever it hears of the other, which would leave nobody else a version to write on, least of
 * all the hub.
 */
export function pace(clock: Pick<Clock, 'now'>, random: Random): Pace {
  let inARow = 0
  let last = { words: '', at: Number.NEGATIVE_INFINITY, pauseMs: 0 }
  // Less than nothing: the clock was set back, which tells nothing and counts as calm.
  const sinceMs = () => clock.now().getTime() - last.at
  return {
    leftMs: (words) => (words !== last.words || sinceMs() < 0 ? 0 : Math.max(0, last.pauseMs - sinceMs())),
    written(words) {
      const isCalm = sinceMs() < 0 || sinceMs() > calmMs
      inARow = isCalm || words !== last.words ? 1 : inARow + 1
      const pauseMs = inARow <= burst ? 0 : backoffMs(inARow - burst - 1, pauses, random)
      last = { words, at: clock.now().getTime(), pauseMs }
    },
  }
}
