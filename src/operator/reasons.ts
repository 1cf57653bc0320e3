import { reasonCatalogue } from '../core/reason.ts'

/** Reasons of conditions and events of a Klusterlet and a ClusterManager. */
export const reasons = reasonCatalogue({
  // Applied
  KlusterletApplied: 'The agent is deployed as the Klusterlet says.',
  KlusterletApplyFailed:
    'The Klusterlet cannot be carried out as it stands, so nothing was changed; the message says why.',
  ManagedClusterResourceApplyFailed:
    'Namespaces or rights of the agent could not be put in place; the operator tries again.',
  ManagementClusterResourceApplyFailed:
    'The Deployment of the agent could not be put in place; the operator tries again.',
  ClusterManagerApplied: 'The hub is deployed as the ClusterManager says.',
  ClusterManagerApplyFailed: 'The ClusterManager cannot be carried out as it stands; the message says why.',
  CRDApplyFailed: 'The kinds of the fleet could not be put in place; the operator tries again.',
  // SpecHonored
  AllHonored: 'Every field that is set has an effect.',
  SettingsIgnored: 'Fields are set that have no effect in this version; the message names them.',
  // ValidFeatureGates
  FeatureGatesAllValid: 'Every feature gate is known and can be set so.',
  InvalidFeatureGatesExisting:
    'A feature gate is unknown or cannot be changed, so nothing was changed; the message names it.',
  // Available and RegistrationDesiredDegraded
  KlusterletAvailable: 'The agent runs.',
  NoAvailablePods: 'No pod of the agent is available.',
  GetDeploymentFailed: 'The agent has no Deployment.',
  DeploymentsFunctional: 'Every pod of the agent is available.',
  UnavailablePods: 'Pods of the agent are not available; the message says how many.',
  // HubConnectionDegraded; where it is True its reason is one of the first kind, a comma and one of the second
  HubConnectionFunctional: 'The credential of the agent may do on the hub what an agent has to.',
  BootstrapSecretMissing: 'There is no bootstrap Secret.',
  BootstrapSecretError: 'The bootstrap Secret holds no usable kubeconfig, or leads to no hub that answers.',
  BootstrapSecretUnauthorized: 'The hub does not let the bootstrap kubeconfig ask to join.',
  BootstrapSecretFunctional: 'The bootstrap kubeconfig may ask to join.',
  BootstrapSecretUnchecked: 'The bootstrap Secrets of several hubs are read by the agent alone.',
  HubKubeConfigSecretMissing: 'The agent has no credential for the hub yet.',
  HubKubeConfigMissing: 'The Secret of the agent holds no kubeconfig.',
  HubKubeConfigError: 'The kubeconfig of the agent cannot be used, or leads to no hub that answers.',
  ClusterNameMissing: 'The Secret of the agent does not say which cluster it is of.',
  HubKubeConfigUnauthorized:
    'The hub does not let the agent do what an agent has to, or AWS does not let it be its role.',
  DriverNotAvailable: 'The way to join that is asked for comes later, so there is no connection to look at.',
  // HubLeft
  LeftHub: 'The hub was told that the cluster leaves.',
  NeverJoined: 'The cluster had no identity on a hub, so there was nobody to tell.',
  LeavingHub: 'The hub could not be told yet that the cluster leaves; the operator tries again for a while.',
  HubNotTold: 'The hub could not be told in time that the cluster leaves; remove the cluster there.',
  // Deleting
  ResourceRemaining: 'Something of it is still there; the message says what.',
  ClustersRemaining: 'Clusters are still in the fleet; the hub goes after the last of them.',
  // HubRegistrationDegraded and Progressing
  RegistrationFunctional: 'Every pod of the hub is available.',
  UnavailableRegistrationPod: 'Pods of the hub are not available; the message says how many.',
  GetRegistrationDeploymentFailed: 'The hub has no Deployment.',
  ClusterManagerUpToDate: 'Every pod of the hub is of the newest form and available.',
  ClusterManagerDeploymentRolling: 'Pods of the hub are being started or replaced.',
  // Events
  AddonSecretLeft:
    'The agent wrote down a Secret of an add-on where the operator may remove none; the message names it.',
  KlusterletRemoved: 'The agent and all that came with it is gone from the cluster.',
  ClusterManagerRemoved: 'The hub is gone from the cluster.',
})
