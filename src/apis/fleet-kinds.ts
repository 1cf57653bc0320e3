import { ClusterProperty } from './about/cluster-property.ts'
import { ManagedClusterAddOn } from './addon/managed-cluster-addon.ts'
import { ClusterClaim } from './cluster/cluster-claim.ts'
import { ManagedCluster } from './cluster/managed-cluster.ts'
import { ManagedClusterSet } from './cluster/managed-cluster-set.ts'
import { ManagedClusterSetBinding } from './cluster/managed-cluster-set-binding.ts'
import type { AnyCustomResource } from './declare.ts'
import { ManifestWork } from './work/manifest-work.ts'

/** What a hub must serve. */
export const hubKinds: readonly AnyCustomResource[] = [
  ManagedCluster,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  ManagedClusterAddOn,
  ManifestWork,
]

/** What a managed cluster must serve. */
export const spokeKinds: readonly AnyCustomResource[] = [ClusterClaim, ClusterProperty]
