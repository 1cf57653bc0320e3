import type { Checkpoint } from '../../core/checkpoint.ts'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Metrics } from '../../core/metrics.ts'
import type { Random } from '../../core/random.ts'
import { agentSecrets } from '../../fleet/names.ts'
import type { Kube } from '../../kube/kube.ts'
import type { DriverName } from '../registrations.ts'

/** What the add-on part of an agent gets from the machine it runs on. */
export interface AddonAgentDeps {
  /** Where the agent runs and keeps its records. */
  management: Kube
  /** The managed cluster: where add-ons have their Secrets and leases. */
  spoke: Kube
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  checkpoint: Checkpoint
  settings: AddonSettings
}

export interface AddonSettings {
  /** Of the agent's records on the management side. */
  namespace: string
  /** In it: what the agent has of the hub. */
  hubKubeconfigSecret: string
  /** How add-ons come to the API server of the hub. */
  kubeClientDriver: DriverName
  /** 0: a year. */
  tokenExpirationSeconds: number
  /** Until a lease that ran out is looked at again, when the managed cluster did not answer. All else is told by events. */
  leaseCheckMs: number
  /** Of an add-on's lease. */
  leaseDurationSeconds: number
  leaseGraceFactor: number
  /** Between two looks at an open request that nothing tells about. */
  resyncMs: number
}

export const defaultAddonSettings: Omit<AddonSettings, 'namespace'> = {
  hubKubeconfigSecret: agentSecrets.hubKubeconfig,
  kubeClientDriver: 'csr',
  tokenExpirationSeconds: 0,
  leaseCheckMs: 30_000,
  leaseDurationSeconds: 60,
  leaseGraceFactor: 5,
  resyncMs: 300_000,
}
