import { ClusterClaim } from '../../src/apis/cluster/cluster-claim.ts'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import type { AnyCustomResource } from '../../src/apis/declare.ts'

/** Every kind of the fleet that is declared. */
export const fleetKinds: readonly AnyCustomResource[] = [ManagedCluster, ClusterClaim]
