import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Metrics } from '../../core/metrics.ts'
import type { Random } from '../../core/random.ts'
import type { Environment } from '../ambient-identity.ts'

export interface RegistryDeps {
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  /** Put where an account may carry it, so that two installations at one registry can be told apart. */
  instanceId: string
  /** Before the first retry of a call. Default 500. */
  retryBaseMs?: number
  /** How long a registry that fails, or refuses what we present, is left alone. Default 30 000. */
  pauseMs?: number
  /** Of this process. What of it a driver's program sees is in `ambient-identity.ts`. Default: nothing. */
  environment?: Environment
}
