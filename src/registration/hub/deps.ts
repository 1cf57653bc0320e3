import type { Checkpoint } from '../../core/checkpoint.ts'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Metrics } from '../../core/metrics.ts'
import type { Random } from '../../core/random.ts'
import type { EventRecorder } from '../../kube/events.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Contact } from './health/contact.ts'
import type { HubView } from './view.ts'

/** What every controller of the hub gets. */
export interface HubDeps {
  kube: Kube
  view: HubView
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  events: EventRecorder
  checkpoint: Checkpoint
  settings: HubSettings
  /** Shared by whoever judges silence; run by the health of the hub. */
  contact?: Contact
}

export interface HubSettings {
  /** Where the hub itself runs, so no cluster's. */
  namespace?: string
  /** Put on everything that is made for a cluster, besides the label with its name. */
  labels: Readonly<Record<string, string>>
  /** Whose first CSRs are approved and whose clusters are accepted; undefined while the gate ManagedClusterAutoApproval is off. */
  autoApprovedUsers: readonly string[] | undefined
  /** What goes with a deleted cluster, in this order. */
  gcResources: readonly GcResource[]
  /** Lease durations without a renewal after which a cluster counts as unreachable. */
  leaseGraceFactor: number
  /** How long a cluster stays on the hub after its own agent took it off. */
  unjoinGraceMs: number
}

export interface GcResource {
  group: string
  version: string
  plural: string
}

export const defaultHubSettings: HubSettings = {
  labels: {},
  autoApprovedUsers: undefined,
  gcResources: [
    { group: 'addon.open-cluster-management.io', version: 'v1beta1', plural: 'managedclusteraddons' },
    { group: 'work.open-cluster-management.io', version: 'v1', plural: 'manifestworks' },
  ],
  leaseGraceFactor: 5,
  unjoinGraceMs: 3_600_000,
}
