import type { Clock } from '../../core/clock.ts'
import type { Kube } from '../../kube/kube.ts'

export interface ReachOperationDeps {
  /** The hub, as the person who asks. */
  kube: Kube
  clock: Clock
  signal: AbortSignal
}
