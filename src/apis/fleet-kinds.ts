import { ClusterProperty } from './about/cluster-property.ts'
import { AddOnDeploymentConfig } from './addon/addon-deployment-config.ts'
import { ClusterManagementAddOn } from './addon/cluster-management-addon.ts'
import { ManagedClusterAddOn } from './addon/managed-cluster-addon.ts'
import { ClusterClaim } from './cluster/cluster-claim.ts'
import { ManagedCluster } from './cluster/managed-cluster.ts'
import { ManagedClusterSet } from './cluster/managed-cluster-set.ts'
import { ManagedClusterSetBinding } from './cluster/managed-cluster-set-binding.ts'
import type { AnyCustomResource } from './declare.ts'
import { ClusterManager } from './operator/cluster-manager.ts'
import { Klusterlet } from './operator/klusterlet.ts'
import { ManifestWork } from './work/manifest-work.ts'

/** What a hub must serve. */
export const hubKinds: readonly AnyCustomResource[] = [
  ManagedCluster,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  ManagedClusterAddOn,
  ClusterManagementAddOn,
  AddOnDeploymentConfig,
  ManifestWork,
]

/** What a managed cluster must serve. */
export const spokeKinds: readonly AnyCustomResource[] = [ClusterClaim, ClusterProperty]

/** What `lanyard operator` works by, on either side. */
export const operatorKinds: readonly AnyCustomResource[] = [Klusterlet, ClusterManager]
