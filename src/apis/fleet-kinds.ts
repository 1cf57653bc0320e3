import { ClusterProperty } from './about/cluster-property.ts'
import { AddOnDeploymentConfig } from './addon/addon-deployment-config.ts'
import { ClusterManagementAddOn } from './addon/cluster-management-addon.ts'
import { ManagedClusterAddOn } from './addon/managed-cluster-addon.ts'
import { AuditConfig } from './breakglass/audit-config.ts'
import { BreakglassEscalation } from './breakglass/breakglass-escalation.ts'
import { BreakglassSession } from './breakglass/breakglass-session.ts'
import { ClusterConfig } from './breakglass/cluster-config.ts'
import { DenyPolicy } from './breakglass/deny-policy.ts'
import { IdentityProvider } from './breakglass/identity-provider.ts'
import { MailProvider } from './breakglass/mail-provider.ts'
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
  ClusterConfig,
  IdentityProvider,
  BreakglassEscalation,
  BreakglassSession,
  DenyPolicy,
  AuditConfig,
  MailProvider,
]

/** What a managed cluster must serve. */
export const spokeKinds: readonly AnyCustomResource[] = [ClusterClaim, ClusterProperty]

/** What `lanyard operator` works by, on either side. */
export const operatorKinds: readonly AnyCustomResource[] = [Klusterlet, ClusterManager]
