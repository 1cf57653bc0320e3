import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { spokeAnnotations } from '../../fleet/spoke/names.ts'

/** Whether the hub wants a way into the cluster from its agent. Both halves ask this, and neither remembers the answer. */
export const isInvited = (cluster: ManagedCluster | undefined): cluster is ManagedCluster =>
  cluster?.spec?.hubAcceptsClient === true &&
  cluster.metadata?.annotations?.[spokeAnnotations.reach] === 'true' &&
  !cluster.metadata.deletionTimestamp
