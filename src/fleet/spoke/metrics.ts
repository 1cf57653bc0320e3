import type { Metrics } from '../../core/metrics.ts'
import type { HeldSpokes } from './held.ts'
import type { Opened } from './open-spoke.ts'

const results = ['opened', 'failed'] as const
const causes = ['config', 'secret', 'provider', 'settings', 'deleted', 'asked'] as const

export interface SpokeCounts {
  opening(opening: Promise<Opened>): Promise<Opened>
  evicted(cause: (typeof causes)[number]): void
}

export function spokeMetrics(metrics: Metrics, held: Pick<HeldSpokes, 'opened'>): SpokeCounts {
  const opens = metrics.counter('lanyard_spoke_opens_total', 'Clients made for clusters', { result: results })
  const evictions = metrics.counter('lanyard_spoke_evictions_total', 'Clients of clusters given up', { cause: causes })
  metrics.readings(
    'lanyard_spoke_breaker_open_state',
    'Whether a cluster failed so often that calls wait',
    ['cluster'],
    () => [...held.opened()].map(([cluster, { guard }]) => [{ cluster }, guard.isOpen ? 1 : 0]),
  )
  return {
    opening(opening) {
      opening.then(
        () => opens.inc({ result: 'opened' }),
        () => opens.inc({ result: 'failed' }),
      )
      return opening
    },
    evicted: (cause) => evictions.inc({ cause }),
  }
}
