import type { AnyCustomResource } from '../../src/apis/declare.ts'
import { hubKinds, spokeKinds } from '../../src/apis/fleet-kinds.ts'

export { ClusterProperty } from '../../src/apis/about/cluster-property.ts'
export { ManagedClusterAddOn } from '../../src/apis/addon/managed-cluster-addon.ts'
export { ClusterClaim } from '../../src/apis/cluster/cluster-claim.ts'
export { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
export { ManagedClusterSet } from '../../src/apis/cluster/managed-cluster-set.ts'
export { ManagedClusterSetBinding } from '../../src/apis/cluster/managed-cluster-set-binding.ts'
export { ManifestWork } from '../../src/apis/work/manifest-work.ts'
export { hubKinds, spokeKinds }

/** Every kind of the fleet: tests play the hub and the managed cluster on one control plane. */
export const fleetKinds: readonly AnyCustomResource[] = [...hubKinds, ...spokeKinds]
