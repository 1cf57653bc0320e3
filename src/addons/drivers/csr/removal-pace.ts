import type { Clock } from '../../../core/clock.ts'
import { after } from '../../../core/clock.ts'
import type { Key } from '../../../kube/objects.ts'

/** Enough for an add-on whose subject changes many times in a row. */
const most = 30
const withinMs = 600_000

export interface RemovalPace {
  /** Takes one removal. Where there is none left: the milliseconds until there is. */
  take(key: Key): number
}

/**
 * How many requests of an add-on the hub removes. An agent of another make, or an older one of ours, may take a removal
 * for an accident and ask again at once: the hub must not follow it at its speed. What is not removed stays open, which
 * agents count, and is removed later.
 */
export function removalPace(clock: Pick<Clock, 'now'>): RemovalPace {
  const removedAt = new Map<Key, Date[]>()

  function forgetOld(now: Date): void {
    const since = after(now, -withinMs)
    for (const [key, times] of removedAt) {
      // A time that is still to come is of a clock that was set back since.
      const recent = times.filter((time) => since < time && time <= now)
      if (recent.length > 0) removedAt.set(key, recent)
      else removedAt.delete(key)
    }
  }

  return {
    take(key) {
      const now = clock.now()
      forgetOld(now)
      const times = removedAt.get(key) ?? []
      const [oldest] = times
      if (oldest && times.length >= most) return after(oldest, withinMs).getTime() - now.getTime()
      removedAt.set(key, [...times, now])
      return 0
    },
  }
}
