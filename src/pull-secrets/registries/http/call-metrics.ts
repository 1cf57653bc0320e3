import type { Metrics } from '../../../core/metrics.ts'
import type { BreakerState } from './breaker.ts'

const results = ['ok', 'refused', 'unauthorized', 'throttled', 'failed'] as const
export type CallResult = (typeof results)[number]

const levels: Record<BreakerState, number> = { closed: 0, 'half-open': 1, open: 2 }

export interface CallMetrics {
  called(result: CallResult, seconds: number): void
  breaker(state: BreakerState): void
  unauthorized(isRefused: boolean): void
}

/** By the ids of registries, which the configuration names. */
export function callMetrics(metrics: Metrics, registry: string): CallMetrics {
  const calls = metrics.counter('lanyard_pull_registry_calls_total', 'Calls to registries by result', {
    registry: [registry],
    result: results,
  })
  const took = metrics.histogram('lanyard_pull_registry_call_seconds', 'How long calls to registries take', {
    registry: [registry],
  })
  const open = metrics.gauge('lanyard_pull_registry_breaker_state', '0 closed, 1 trying, 2 open', {
    registry: [registry],
  })
  const refusals = metrics.counter(
    'lanyard_pull_registry_unauthorized_total',
    "Calls that a registry refused because of the service's own credentials",
    { registry: [registry] },
  )
  const refused = metrics.gauge(
    'lanyard_pull_registry_unauthorized_state',
    "1 while a registry refuses the service's own credentials",
    { registry: [registry] },
  )
  return {
    called(result, seconds) {
      calls.inc({ registry, result })
      took.observe({ registry }, seconds)
    },
    breaker: (state) => open.set({ registry }, levels[state]),
    unauthorized(isRefused) {
      if (isRefused) refusals.inc({ registry })
      refused.set({ registry }, isRefused ? 1 : 0)
    },
  }
}
