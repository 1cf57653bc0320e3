import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Checkpoint } from '../../core/checkpoint.ts'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Metrics } from '../../core/metrics.ts'
import type { Random } from '../../core/random.ts'
import { agentNamespace, agentSecrets } from '../../fleet/names.ts'
import type { KubeClient } from '../../kube/client/index.ts'
import type { Connection } from '../../kube/connection.ts'
import type { Informer } from '../../kube/informer.ts'
import type { Kube } from '../../kube/kube.ts'

/** What the agent gets from the machine it runs on. */
export interface AgentDeps {
  /** Where the agent runs and keeps its Secrets. */
  management: Kube
  /** The cluster that is managed; usually the same. */
  spoke: Kube
  /** A client for the hub. The connection's credentials change when what the agent holds is renewed. */
  connect(connection: Connection): KubeClient
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  checkpoint: Checkpoint
  settings: AgentSettings
}

/** One field a flag of `lanyard agent`, see docs/reference. */
export interface AgentSettings {
  /** Of the agent's Secrets and ConfigMap on the management side. */
  namespace: string
  /** Absent: the id of an OpenShift cluster, else one that is made once and kept. */
  clusterName?: string
  /** Absent: 5 random characters, kept in the ConfigMap and the Secret. */
  agentName?: string
  hubKubeconfigSecret: string
  /** The Secret's keys are also files here; made when it is not there. */
  hubKubeconfigDir: string
  /** Files, in the order they are tried. More than one: the agent moves to the next hub when one denies it or is silent. */
  bootstrapKubeconfigs: readonly string[]
  /** Watched for changes where it is there; '' for none. */
  bootstrapKubeconfigSecret: string
  hubConnectionTimeoutMs: number
  /** Of the certificate; 0: as long as the signer gives. */
  clientCertExpirationSeconds: number
  externalServerUrls: readonly { url: string; caBundle?: string }[]
  /** Those with the prefix for agents are put on the ManagedCluster when it is created. */
  clusterAnnotations: Readonly<Record<string, string>>
  /** Between two tries to create the ManagedCluster that it may not read. */
  createRetryMs: number
  /** Between two looks at the bootstrap files and the hub's Secret, besides those that events cause. */
  resyncMs: number
  member: MemberSettings
}

export interface MemberSettings {
  healthCheckPeriodMs: number
  maxCustomClusterClaims: number
  reservedClusterClaimSuffixes: readonly string[]
  features: { clusterClaim: boolean; clusterProperty: boolean }
}

/** Everything but the places, which differ from one machine to the next. */
export const defaultAgentSettings: Omit<AgentSettings, 'hubKubeconfigDir' | 'bootstrapKubeconfigs'> = {
  namespace: agentNamespace,
  hubKubeconfigSecret: agentSecrets.hubKubeconfig,
  bootstrapKubeconfigSecret: agentSecrets.bootstrap,
  hubConnectionTimeoutMs: 600_000,
  clientCertExpirationSeconds: 0,
  externalServerUrls: [],
  clusterAnnotations: {},
  createRetryMs: 60_000,
  resyncMs: 300_000,
  member: {
    healthCheckPeriodMs: 60_000,
    maxCustomClusterClaims: 20,
    reservedClusterClaimSuffixes: [],
    features: { clusterClaim: true, clusterProperty: false },
  },
}

/** What an agent that was let in works with, on one hub. */
export interface MemberDeps {
  cluster: string
  /** As the agent's kubeconfig has it. It tells hubs apart on a cluster that several of them manage. */
  hubUrl: string
  /** As the agent itself. */
  hub: Kube
  spoke: Kube
  /** Its own ManagedCluster on the hub and no other; it has to be run by whoever makes it. */
  self: Informer<ManagedCluster>
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  checkpoint: Checkpoint
  settings: MemberSettings
  /** Told of every answer of the hub to a lease renewal, so that a silent hub can be left for another. */
  onRenewed(at: Date): void
}
