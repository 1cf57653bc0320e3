import { backoffMs } from '../../core/backoff.ts'
import type { Clock } from '../../core/clock.ts'
import type { Random } from '../../core/random.ts'

/** So many are not held up, and neither are the first after so long without one, which is longer than any pause. */
const [burst, calmMs] = [5, 60_000]
const pauses = { baseMs: 100, maxMs: 30_000 }

/**
 * Milliseconds to pause after a write, given what it told: nothing for news, and for a few that say the same as the one
 * before, then longer and longer while these follow each other.
 *
 * Somebody undoes them: another agent that reports other facts of the same cluster, a copy, or one that was replaced and
 * goes on. Each writes again whenever it hears of the other, which would leave nobody else a version to write on, least of
 * all the hub.
 */
export function pace(clock: Pick<Clock, 'now'>, random: Random): (told: string) => number {
  let inARow = 0
  let last = { told: '', at: Number.NEGATIVE_INFINITY }
  return (told) => {
    const at = clock.now().getTime()
    // A clock that was set back tells nothing: it counts as calm.
    const isCalm = at < last.at || at - last.at > calmMs
    inARow = isCalm || told !== last.told ? 1 : inARow + 1
    last = { told, at }
    return inARow <= burst ? 0 : backoffMs(inARow - burst - 1, pauses, random)
  }
}
