import type { Clock } from '../../../core/clock.ts'
import { BoundedMap } from '../../../kube/bounded-map.ts'

/** Milliseconds for which what was seen to be in order, or gone, is not looked at again. */
export const trustedMs = 600_000
const mostClusters = 20_000

export interface Seen {
  /** Milliseconds for which it still counts that a cluster came to exactly this; 0 when it does not. */
  freshMs(cluster: string, state: string): number
  note(cluster: string, state: string): void
  forget(cluster: string): void
}

/** What clusters came to lately: AWS answers only so often, and membership asks with each change of a cluster. */
export function seenLately(clock: Pick<Clock, 'now'>): Seen {
  const last = new BoundedMap<string, { state: string; until: number }>(mostClusters)
  return {
    freshMs(cluster, state) {
      const known = last.get(cluster)
      return known?.state === state ? Math.max(0, known.until - clock.now().getTime()) : 0
    },
    note: (cluster, state) => last.set(cluster, { state, until: clock.now().getTime() + trustedMs }),
    forget: (cluster) => last.delete(cluster),
  }
}
