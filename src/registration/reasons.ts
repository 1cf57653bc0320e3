import { reasonCatalogue } from '../core/reason.ts'

/** Reasons of conditions and events of a ManagedCluster. */
export const reasons = reasonCatalogue({
  // HubAcceptedManagedCluster
  HubClusterAdminAccepted: 'The hub accepts the cluster, and its namespace and rights are in place.',
  HubClusterAdminDenied: 'The hub took its acceptance back; the agent keeps only the right to look at its own cluster.',
  Error:
    'The namespace or the rights of the cluster could not be put in place; the message says why, and whether the hub tries again.',
  // ManagedClusterJoined
  ManagedClusterJoined: 'The agent has connected to the hub as itself.',
  // ManagedClusterConditionAvailable
  ManagedClusterAvailable: 'The API server of the cluster answers its agent.',
  ManagedClusterKubeAPIServerUnavailable: 'The API server of the cluster has not answered its agent for 20 seconds.',
  ManagedClusterLeaseUpdateStopped: 'The agent has not renewed its lease for five lease durations.',
  // ManagedClusterConditionClockSynced
  ManagedClusterClockSynced: 'The clocks of cluster and hub agree well enough.',
  ManagedClusterClockOutOfSync: 'The clocks of cluster and hub differ; the message says by how much.',
  // ClusterCertificateRotated
  ClientCertificateUpdated: 'The agent holds a valid certificate; the message says from when to when.',
  ClientCertificateUpdateFailed: 'The agent could not get a certificate; the message says why.',
  ClientCertificateDenied:
    'The certificate request was denied or failed; the agent asks again with a new key after a pause.',
  // NamespaceAvailable, of a managed namespace
  NamespaceApplied: 'The namespace is there on the managed cluster.',
  NamespaceApplyFailed: 'The namespace could not be put on the managed cluster; the agent tries again.',
  // Deleting
  ResourceRemaining: 'Objects of the cluster have to go before the cluster can.',
  DeletingError: 'Objects of the cluster could not be removed; the hub tries again.',
  NoResource: 'Nothing of the cluster is left.',
  // DuplicateAgent
  SecondAgentAsks: 'Another agent asks for a certificate under the name of a cluster whose agent is alive.',
  NoOtherAgent: 'No other agent asks for the name of this cluster any more.',
  // ManagedClusterSet and ManagedClusterSetBinding
  NoClusterMatched: 'No cluster is in the set.',
  ClustersSelected: 'Clusters are in the set; the message says how many.',
  ClusterSetBound: 'The set exists and is bound to the namespace.',
  ClusterSetNotFound: 'There is no set of that name.',
  // The agent
  AwaitingAcceptance: 'The agent is known to the hub and waits until that accepts the cluster.',
  HubRejectsAgent: 'The hub does not know the agent by its certificate or its AWS role; the agent joins anew.',
  HubUnreachable: 'The hub cannot be asked whether it accepts the cluster; the agent tries again.',
  AgentUnproven: 'The agent cannot get what proves to the hub who it is, such as a token of its AWS role.',
  BootstrapUnusable: 'No bootstrap kubeconfig leads to a hub that would let the agent ask.',
  // CSRs
  AutoApprovedByHubCSRApprovingController: 'The hub approved the certificate request by itself.',
  ApprovedByLanyardAccept: 'A person approved the certificate request with `lanyard accept`.',
  DeniedByLanyardDeny: 'A person denied the certificate request with `lanyard deny`.',
  // Events
  ManagedClusterCSRAutoApproved: 'The hub approved a certificate request of the cluster.',
  ManagedClusterAutoApproved:
    'The hub approved the first certificate request of the cluster, because a listed user made it.',
  ManagedClusterAutoAccepted:
    'The hub accepted the cluster by itself; the message says whether for who created it or for its ARN.',
  NamespaceNotOfCluster:
    "The hub did not accept the cluster by itself, because a namespace of its name is there that is not a cluster's.",
  NameOfEarlierCluster:
    'The hub did not accept the cluster for its ARN, because a cluster of its name was there before, whose certificate may be good.',
  EarlierNotRevoked:
    'What a cluster of this name, which is gone, had outside of the hub could not be taken back; the message says what to do.',
  AwsRoleLeft:
    'A role was on record for the cluster, and stays in AWS because it is not known as one that the hub made.',
  AwsAccessNotKept: 'What the cluster has in AWS could not be looked at or put right; the hub tries again.',
  SupersededCSRRemoved: 'A certificate request that a newer one replaces was removed.',
  ClientCertificateCreationHalted:
    'Too many certificate requests of the cluster are open; no further one is made until some are gone.',
  AvailableUnknown: 'The agent stopped renewing its lease.',
  Available: 'The cluster is available.',
  Unavailable: 'The API server of the cluster does not answer.',
  CustomClusterClaimsTruncated: 'The cluster has more claims than are copied to the hub.',
  SwitchedHub: 'The agent moved to another hub.',
})
