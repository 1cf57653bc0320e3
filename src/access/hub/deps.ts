import type { Checkpoint } from '../../core/checkpoint.ts'
import type { Clock } from '../../core/clock.ts'
import type { EgressRules } from '../../core/egress.ts'
import type { Log } from '../../core/log.ts'
import type { Metrics } from '../../core/metrics.ts'
import type { Random } from '../../core/random.ts'
import type { Spokes, SpokeView } from '../../fleet/spoke/index.ts'
import type { EventRecorder } from '../../kube/events.ts'
import type { Kube } from '../../kube/kube.ts'
import type { AccessSettings } from '../settings.ts'

/** What the hub's access part is made of. */
export interface AccessHubDeps {
  kube: Kube
  /** Where Secrets and ConfigMaps of the hub's own are. */
  namespace: string
  /** Run by whoever made them. */
  spokeView: SpokeView
  spokes: Spokes
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  events: EventRecorder
  checkpoint: Checkpoint
  settings(): AccessSettings
  /** Where what users name may be: issuers, sinks of the audit, mail servers. Asked at each use. */
  egress(): EgressRules
  /** Of this replica, for the audit chain: a name no other process has at any time. */
  replica: string
}
