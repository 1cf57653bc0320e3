import type { Clock } from '../../../core/clock.ts'
import type { Log } from '../../../core/log.ts'
import type { Metrics } from '../../../core/metrics.ts'
import type { Random } from '../../../core/random.ts'
import type { Breaker } from './breaker.ts'
import { breaker } from './breaker.ts'
import type { Budget, Rate } from './budget.ts'
import { budget } from './budget.ts'
import type { CallMetrics } from './call-metrics.ts'
import { callMetrics } from './call-metrics.ts'
import type { OwnAuth, OwnCredentials } from './own-credentials.ts'
import { ownCredentials } from './own-credentials.ts'

export interface LineDeps {
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  retryBaseMs?: number
  pauseMs?: number
}

export interface LineOptions {
  registry: string
  auth?: OwnAuth
  rate: Rate
  /** Of one call, from its first byte to the last of its answer. */
  timeoutMs: number
}

/** What all calls to one registry share in this process, of whatever priority. */
export interface Line {
  registry: string
  auth: OwnAuth
  timeoutMs: number
  retryBaseMs: number
  clock: Clock
  random: Random
  log: Log
  breaker: Breaker
  budget: Budget
  counts: CallMetrics
  credentials(): Promise<OwnCredentials>
  /** Set while the registry refuses what we present: what it was, and until when it is not presented again. */
  refused?: { version: string; until: Date }
  pauseMs: number
}

export function openLine({ registry, auth = {}, rate, timeoutMs }: LineOptions, deps: LineDeps): Line {
  const { clock, random, metrics, retryBaseMs = 500, pauseMs = 30_000 } = deps
  const log = deps.log.child({ registry })
  const counts = callMetrics(metrics, registry)
  return {
    registry,
    auth,
    timeoutMs,
    retryBaseMs,
    pauseMs,
    clock,
    random,
    log,
    counts,
    breaker: breaker(clock, pauseMs, (state) => {
      counts.breaker(state)
      if (state === 'open') log.warn({}, 'circuit breaker opened')
      if (state === 'closed') log.info({}, 'circuit breaker closed')
    }),
    budget: budget(clock, rate),
    credentials: ownCredentials(auth),
  }
}
