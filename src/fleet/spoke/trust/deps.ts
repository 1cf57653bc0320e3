import type { Checkpoint } from '../../../core/checkpoint.ts'
import type { Clock } from '../../../core/clock.ts'
import type { Log } from '../../../core/log.ts'
import type { Kube } from '../../../kube/kube.ts'
import type { SpokeSettings } from '../contract.ts'

export interface TrustDeps {
  /** The hub: where CAs that are trusted on first use are kept. */
  kube: Kube
  clock: Clock
  log: Log
  settings(): SpokeSettings
  /** PEM of those whom the machine trusts. Default: the machine's own. */
  roots?: (() => readonly string[]) | undefined
  checkpoint?: Checkpoint | undefined
}
