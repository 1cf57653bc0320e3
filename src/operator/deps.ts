import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { Metrics } from '../core/metrics.ts'
import type { Random } from '../core/random.ts'
import { agentNamespace, hubNamespace } from '../fleet/names.ts'
import type { KubeClient } from '../kube/client/index.ts'
import type { Connection } from '../kube/connection.ts'
import type { EventRecorder } from '../kube/events.ts'
import type { Kube } from '../kube/kube.ts'
import type { Env } from '../kube/kubeconfig/index.ts'
import type { GateTable } from './gates.ts'
import type { OwnVersions } from './status.ts'

export interface OperatorDeps {
  /** The cluster that the operator runs on. */
  kube: Kube
  /** A client for a hub, slow on purpose: all clusters of a fleet ask the same hub. */
  connect(connection: Connection): KubeClient
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  events: EventRecorder
  /** Of this process: the way to AWS, for agents whose identity is an AWS role. */
  env: Env
  settings: OperatorSettings
  /** Of this process. */
  written: OwnVersions
}

export interface OperatorSettings {
  /** The image of agents and hubs that name none. */
  image: string
  /** Where agents may be. A Klusterlet with another namespace is refused: the operator has no rights there. */
  agentNamespaces: readonly string[]
  hubNamespace: string
  gates: { agent: GateTable; hub: GateTable }
  /** Between two looks at the hub with the credential of the agent. */
  lookMs: number
  /** Between two looks at what tells of no change. */
  resyncMs: number
  /** How long a cluster that leaves tries to tell its hub. */
  hubGoneMs: number
  /** How long one object may take to go, each time it is tried. */
  removalMs: number
}

export const defaultOperatorSettings: Omit<OperatorSettings, 'image' | 'gates'> = {
  agentNamespaces: [agentNamespace],
  hubNamespace,
  lookMs: 30_000,
  resyncMs: 300_000,
  hubGoneMs: 300_000,
  removalMs: 20_000,
}
