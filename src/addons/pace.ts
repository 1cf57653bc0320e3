import type { Clock } from '../core/clock.ts'
import { after } from '../core/clock.ts'
import type { Key } from '../kube/objects.ts'

/** Enough for an add-on whose subject changes many times in a row. */
const most = 30
const withinMs = 600_000

export interface Pace {
  /** Milliseconds until there is a turn; 0 where there is one now. */
  waitMs(key: Key): number
  /** A turn was taken. */
  note(key: Key): void
}

/**
 * How often something of an add-on is undone that another program wrote. That one may take it for an accident and write
 * it again at once, as an agent whose request was removed: the two must not go on at the speed of the API server.
 */
export function pace(clock: Pick<Clock, 'now'>): Pace {
  const takenAt = new Map<Key, Date[]>()

  function forgetOld(now: Date): void {
    const since = after(now, -withinMs)
    for (const [key, times] of takenAt) {
      // A time that is still to come is of a clock that was set back since.
      const recent = times.filter((time) => since < time && time <= now)
      if (recent.length > 0) takenAt.set(key, recent)
      else takenAt.delete(key)
    }
  }

  return {
    waitMs(key) {
      const now = clock.now()
      forgetOld(now)
      const times = takenAt.get(key) ?? []
      const [oldest] = times
      return oldest && times.length >= most ? after(oldest, withinMs).getTime() - now.getTime() : 0
    },
    note(key) {
      takenAt.set(key, [...(takenAt.get(key) ?? []), clock.now()])
    },
  }
}
