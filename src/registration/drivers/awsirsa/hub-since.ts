import type { Clock } from '../../../core/clock.ts'
import { BoundedMap } from '../../../kube/bounded-map.ts'

const mostClusters = 20_000

export interface SinceWhen {
  /** All of this is so, and nothing else any more. Milliseconds for which each of it has been so; Infinity for nothing. */
  note(of: string, facts: readonly string[]): number
  forget(of: string): void
}

/** Since when things are so. In memory: a hub that starts again counts from then, and only waits longer. */
export function sinceWhen(clock: Pick<Clock, 'now'>): SinceWhen {
  const known = new BoundedMap<string, ReadonlyMap<string, number>>(mostClusters)
  return {
    note(of, facts) {
      const now = clock.now().getTime()
      const before = known.get(of)
      const since = new Map(facts.map((fact) => [fact, before?.get(fact) ?? now]))
      known.set(of, since)
      return now - Math.max(...since.values())
    },
    forget: (of) => known.delete(of),
  }
}
