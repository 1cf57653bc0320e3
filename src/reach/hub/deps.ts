import type { Checkpoint } from '../../core/checkpoint.ts'
import type { Clock } from '../../core/clock.ts'
import type { EgressRules } from '../../core/egress.ts'
import type { Log } from '../../core/log.ts'
import type { Metrics } from '../../core/metrics.ts'
import type { Random } from '../../core/random.ts'
import type { Spokes, SpokeView } from '../../fleet/spoke/index.ts'
import type { EventRecorder } from '../../kube/events.ts'
import type { Kube } from '../../kube/kube.ts'

/** What every controller of the hub's reach part gets. */
export interface ReachHubDeps {
  kube: Kube
  /** Run by whoever made them. */
  view: SpokeView
  spokes: Spokes
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  events: EventRecorder
  checkpoint: Checkpoint
  settings(): ReachSettings
  /** Where what users name may be. Asked at each use. */
  egress(): EgressRules
}

export interface ReachSettings {
  /** Between two checks of a cluster that nothing happened to; spread over the fleet. */
  checkIntervalMs: number
  /** Of one check. */
  checkDeadlineMs: number
  /** Until a cluster that cannot be got into is looked at again: doubled each time, up to the most. */
  retryMs: { readonly first: number; readonly most: number }
}

export const defaultReachSettings: ReachSettings = {
  checkIntervalMs: 600_000,
  checkDeadlineMs: 15_000,
  retryMs: { first: 10_000, most: 120_000 },
}
