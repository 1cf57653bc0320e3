/** The names of the wire contract of Klusterlets and ClusterManagers, and our own beside them. */

import { ownDomain } from '../core/own-domain.ts'

export const finalizers = {
  /** On a Klusterlet, until nothing of its agent is left. */
  klusterlet: 'operator.open-cluster-management.io/klusterlet-cleanup',
  /** On a ClusterManager, until nothing of its hub is left. */
  clusterManager: 'operator.open-cluster-management.io/cluster-manager-cleanup',
} as const

export const conditions = {
  applied: 'Applied',
  /** Whether every field that is set has an effect. */
  specHonored: 'SpecHonored',
  validFeatureGates: 'ValidFeatureGates',
  available: 'Available',
  registrationDegraded: 'RegistrationDesiredDegraded',
  hubConnectionDegraded: 'HubConnectionDegraded',
  /** While a Klusterlet is deleted: whether the hub knows. */
  hubLeft: 'HubLeft',
  /** While it is deleted: what is still there. */
  deleting: 'Deleting',
  hubRegistrationDegraded: 'HubRegistrationDegraded',
  progressing: 'Progressing',
} as const

export const annotations = {
  /** On a namespace that the operator made: for whom (UID), so that it goes with them. */
  madeFor: `${ownDomain}/made-for`,
} as const

export const operatorAccount = 'lanyard-operator'
export const operatorDeployment = 'lanyard-operator'
/** Of the election among operators. */
export const operatorLease = 'lanyard-operator'
/** The ClusterRole, its binding, and the Roles in the namespaces where the operator works. */
export const operatorRole = 'open-cluster-management:lanyard-operator'
export const fieldManager = 'lanyard-operator'
