/** The names of the wire contract: a hub, an agent and `kubectl` users of the field know them, so none may change. */

import { ownDomain } from '../core/own-domain.ts'

export const agentNamespace = 'open-cluster-management-agent'
export const hubNamespace = 'open-cluster-management-hub'
export const operatorNamespace = 'open-cluster-management'

export const labels = {
  /** On everything the hub makes for a cluster, and on its CSRs. A hint: whoever decides by it checks more. */
  clusterName: 'open-cluster-management.io/cluster-name',
  addonName: 'open-cluster-management.io/addon-name',
  clusterSet: 'cluster.open-cluster-management.io/clusterset',
  /** Followed by the name of an add-on. */
  featurePrefix: 'feature.open-cluster-management.io/addon-',
  /** On a ClusterClaim that stays on its cluster. */
  spokeOnly: 'open-cluster-management.io/spoke-only',
  /** On a namespace that a set wants on its clusters; followed by the digest of the hub's URL, see `managedNamespaceLabel`. */
  managedNamespacePrefix: 'clusterset.open-cluster-management.io/',
} as const

/** On an IdentityProvider, for where there are several. */
export const providerAnnotations = {
  /** `"true"`: mail addresses in its tokens are those of its people, also where the tokens do not say `email_verified`. */
  mailTrusted: `${ownDomain}/mail-trusted`,
  /** How clusters write its groups: this, then the group. */
  groupsPrefix: `${ownDomain}/groups-prefix`,
} as const

export const annotations = {
  /** The hub accepted by itself, and does so only once: a later denial stays. RFC 3339. */
  automaticallyAcceptedOn: 'open-cluster-management.io/automatically-accepted-on',
  /** The only annotations that agents may set, at creation. */
  agentPrefix: 'agent.open-cluster-management.io/',
  skipClockSyncCheck: 'registration.open-cluster-management.io/skip-clock-sync-check',
  /** 0 to 100 on a ManifestWork: the lowest go first when a cluster is deleted. */
  cleanupPriority: 'open-cluster-management.io/cleanup-priority',
  /** `"false"` on the sets default and global: whatever is in their spec stays. */
  autoUpdate: 'cluster.open-cluster-management.io/autoupdate',
  /** Who created the ManagedCluster, as admission saw it. Nobody can set or change it. */
  createdBy: `${ownDomain}/created-by`,
  /** Which agent the hub issued the newest certificate to, and until when it is good (RFC 3339). The hub writes both. */
  agentName: `${ownDomain}/agent-name`,
  certificateExpiresAt: `${ownDomain}/certificate-expires-at`,
  /** More of that certificate, because its CSR is gone after an hour: when it was issued, and its SHA-256. */
  certificateIssuedAt: `${ownDomain}/certificate-issued-at`,
  certificateFingerprint: `${ownDomain}/certificate-fingerprint`,
  /** The agent itself took its cluster off the hub (RFC 3339), as admission saw it; gone when it is accepted again. */
  unjoinedAt: `${ownDomain}/unjoined-at`,
  /** The hub accepted the cluster once (RFC 3339), as admission saw it. Nobody can set, change or remove it. */
  acceptedBefore: `${ownDomain}/accepted-before`,
  /** On the namespace of a cluster that is gone: nothing of it is left there. */
  cleared: `${ownDomain}/cleared`,
  /** An administrator lets the agent of this name take the place of the one that has joined. */
  replaceAgent: `${ownDomain}/replace-agent`,
  /**
   * From before the first object is made for the cluster in AWS until the last one is gone: the role, and how EKS knows
   * it. It says where to look, not what is ours: tags do. The hub writes it, or whoever does this work in its place.
   * The namespace of the cluster has a copy with the uid of the cluster, which may go without its finalizers.
   */
  awsRole: `${ownDomain}/aws-role`,
} as const

export const finalizers = {
  /** On a ManagedCluster, from its acceptance until its rights are gone. */
  apiResourceCleanup: 'cluster.open-cluster-management.io/api-resource-cleanup',
  /** On a ManagedCluster, until its add-ons and works are gone. */
  resourceCleanup: 'cluster.open-cluster-management.io/resource-cleanup',
  /** On the `:work` role binding and on ManifestWorks. */
  manifestWorkCleanup: 'cluster.open-cluster-management.io/manifest-work-cleanup',
} as const

export const conditions = {
  accepted: 'HubAcceptedManagedCluster',
  joined: 'ManagedClusterJoined',
  available: 'ManagedClusterConditionAvailable',
  clockSynced: 'ManagedClusterConditionClockSynced',
  certificateRotated: 'ClusterCertificateRotated',
  deleting: 'Deleting',
  duplicateAgent: 'DuplicateAgent',
  /** Of an entry in `managedNamespaces`. */
  namespaceAvailable: 'NamespaceAvailable',
} as const

/** Of a ManagedClusterAddOn. */
export const addonConditions = {
  available: 'Available',
  certificateRotated: 'ClusterCertificateRotated',
  /** Written by the hub once the account is there; its message names the account and its UID. */
  tokenInfrastructureReady: 'TokenInfrastructureReady',
  /** The same matter under two names: the seed's, and the field's. */
  tokenRefreshed: ['AddonTokenRefreshed', 'TokenRefreshed'],
  /** Something is wrong with the registrations themselves, or with the declaration of the agent. */
  registrationApplied: 'RegistrationApplied',
} as const

/** Of a ManagedClusterSet, and of a ManagedClusterSetBinding. */
export const setConditions = {
  empty: 'ClusterSetEmpty',
  bound: 'Bound',
} as const

export const taints = {
  unreachable: 'cluster.open-cluster-management.io/unreachable',
  unavailable: 'cluster.open-cluster-management.io/unavailable',
} as const

export const defaultSet = 'default'
export const globalSet = 'global'

/** The lease of an agent, in the namespace of its cluster. */
export const leaseName = 'managed-cluster-lease'

export const clientSigner = 'kubernetes.io/kube-apiserver-client'

/** The virtual resources that access reviews ask about. */
export const registerGroup = 'register.open-cluster-management.io'

const identityPrefix = 'system:open-cluster-management:'

/** Every agent of the field is in it; ours does not ask for it, and a hub of ours gives it no rights. */
export const commonGroup = `${identityPrefix}managed-clusters`

/** The group of a cluster's agents, as their certificates say it. */
export const clusterGroup = (cluster: string): string => `${identityPrefix}${cluster}`

const awsIdentityPrefix = 'open-cluster-management:'

/** Both groups that get a cluster's rights: EKS refuses names that begin with `system:`. */
export const clusterGroups = (cluster: string): [string, string] => [
  clusterGroup(cluster),
  `${awsIdentityPrefix}${cluster}`,
]

/** The cluster whose agents are in this group, of either form; undefined for any other group. */
export function parseClusterGroup(group: string): string | undefined {
  const prefix = [identityPrefix, awsIdentityPrefix].find((one) => group.startsWith(one))
  const cluster = prefix === undefined ? '' : group.slice(prefix.length)
  return cluster !== '' && !cluster.includes(':') ? cluster : undefined
}

export const agentUser = (cluster: string, agent: string): string => `${identityPrefix}${cluster}:${agent}`

/** The cluster and agent of a user name; undefined for anyone else. Compared whole, in exactly two parts. */
export function parseAgentUser(user: string): { cluster: string; agent: string } | undefined {
  if (!user.startsWith(identityPrefix)) return undefined
  const [cluster, agent, ...rest] = user.slice(identityPrefix.length).split(':')
  return cluster && agent && rest.length === 0 ? { cluster, agent } : undefined
}

/** RBAC objects of one cluster, and the two that all clusters share. */
export const rbacNames = {
  cluster: (cluster: string) => `open-cluster-management:managedcluster:${cluster}`,
  registrationBinding: (cluster: string) => `open-cluster-management:managedcluster:${cluster}:registration`,
  workBinding: (cluster: string) => `open-cluster-management:managedcluster:${cluster}:work`,
  registrationRole: 'open-cluster-management:managedcluster:registration',
  workRole: 'open-cluster-management:managedcluster:work',
  bootstrapRole: 'open-cluster-management:bootstrap',
} as const

/** On the managed cluster. */
export const agentSecrets = {
  hubKubeconfig: 'hub-kubeconfig-secret',
  bootstrap: 'bootstrap-hub-kubeconfig',
} as const
/** Where an agent keeps its name, and the one it made for a cluster without a given name: the Secret may be lost. */
export const clusterNameConfigMap = 'cluster-name'

/** Where add-ons are on a managed cluster, unless they say otherwise. */
export const addonNamespace = 'open-cluster-management-agent-addon'

/** Where an agent keeps in mind which Secrets of add-ons it made: what is not wanted any more is found again. */
export const addonSecretsConfigMap = 'lanyard-addon-secrets'

export const addonLabels = {
  /** On what the hub makes for the token of an add-on. */
  name: 'addon.open-cluster-management.io/name',
  tokenInfrastructure: 'addon.open-cluster-management.io/token-infrastructure',
} as const

/** The Secret of an add-on with its credential for the hub, and the one for another signer. */
export const addonSecrets = {
  kubeClient: (addon: string) => `${addon}-hub-kubeconfig`,
  customSigner: (addon: string, signer: string) => `${addon}-${signer.replaceAll('/', '-')}-client-cert`,
} as const

/** Who an add-on is by a certificate of the hub, unless its registration says otherwise. */
export const addonUser = (cluster: string, addon: string): string =>
  `${identityPrefix}cluster:${cluster}:addon:${addon}:agent:${addon}`
export const addonGroup = (cluster: string, addon: string): string =>
  `${identityPrefix}cluster:${cluster}:addon:${addon}`
/** Of an add-on on all clusters. */
export const anyAddonGroup = (addon: string): string => `${identityPrefix}addon:${addon}`

/** The account of an add-on with a token: as we ask for it, and as the field does. Both are in the namespace of the cluster. */
export const addonAccounts = (cluster: string, addon: string): [ours: string, theirs: string] => [
  `${cluster}-${addon}-agent`,
  `${addon}-agent`,
]
export const accountUser = (namespace: string, account: string): string =>
  `system:serviceaccount:${namespace}:${account}`
