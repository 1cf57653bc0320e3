import type { Clock } from '../../../core/clock.ts'
import { BoundedMap } from '../../../kube/bounded-map.ts'

/** Milliseconds for which what was seen to be in order, or gone, is not looked at again. */
export const trustedMs = 600_000
const mostClusters = 20_000

export interface Seen {
  /** Whether a cluster came to exactly this, and not long ago. */
  isFresh(cluster: string, state: string): boolean
  note(cluster: string, state: string): void
  forget(cluster: string): void
}

/** What clusters came to lately: AWS answers only so often, and membership asks with each change of a cluster. */
export function seenLately(clock: Pick<Clock, 'now'>): Seen {
  const last = new BoundedMap<string, { state: string; at: number }>(mostClusters)
  return {
    isFresh(cluster, state) {
      const known = last.get(cluster)
      return known?.state === state && clock.now().getTime() - known.at < trustedMs
    },
    note: (cluster, state) => last.set(cluster, { state, at: clock.now().getTime() }),
    forget: (cluster) => last.delete(cluster),
  }
}
