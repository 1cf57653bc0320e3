import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Metrics } from '../../core/metrics.ts'
import type { Random } from '../../core/random.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Authority } from '../../pki/index.ts'
import type { Registry } from '../kinds/registry.ts'
import type { Store } from '../storage/store.ts'

export interface ControllerDeps {
  /** With full rights. Everything that changes goes through it. */
  kube: Kube
  store: Store
  registry: Registry
  clock: Clock
  random: Random
  log: Log
  metrics?: Metrics
  /** Signs what certificate requests ask for. */
  clientCa: Authority
  /** Signs a token of a service account that lives as long as the Secret it is kept in. */
  accountToken(namespace: string, account: { name: string; uid: string }, secret: string): string
  /** What vouches for the API server: told in every namespace. */
  serverCaPem: string
}
