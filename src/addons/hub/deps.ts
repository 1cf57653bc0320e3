import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Checkpoint } from '../../core/checkpoint.ts'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Metrics } from '../../core/metrics.ts'
import type { Random } from '../../core/random.ts'
import type { EventRecorder } from '../../kube/events.ts'
import type { Informer } from '../../kube/informer.ts'
import type { Kube } from '../../kube/kube.ts'
import type { AddonApprover } from '../drivers/csr/judge.ts'
import type { AddonHubView } from './view.ts'

/** What every controller of the hub's add-on part gets. */
export interface AddonHubDeps {
  kube: Kube
  view: AddonHubView
  /** Run by whoever made it. */
  clusters: Informer<ManagedCluster>
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  events: EventRecorder
  checkpoint: Checkpoint
  settings: AddonHubSettings
}

export interface AddonHubSettings {
  /** Put on everything that is made for an add-on, besides the labels of the contract. */
  labels: Readonly<Record<string, string>>
  /** For certificates with subjects that the hub does not give by itself. Default: none, so that people decide. */
  approvers?: readonly AddonApprover[]
}
