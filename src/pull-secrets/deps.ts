import type { Checkpoint } from '../core/checkpoint.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Metrics } from '../core/metrics.ts'
import type { Random } from '../core/random.ts'
import type { TokenVault } from './keys/vault.ts'
import type { ClusterLock } from './lock.ts'
import type { Registries } from './registries/entry.ts'
import type { PullSettings } from './settings.ts'
import type { Database } from './store/database.ts'

/** What every part of the service receives. */
export interface PullDeps {
  database: Database
  lock: ClusterLock
  vault: TokenVault
  registries: Registries
  settings: PullSettings
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  checkpoint: Checkpoint
}
