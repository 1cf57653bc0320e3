import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { boundRole, clusterRole, clusterRoleBinding, serviceAccount } from '../../fleet/manifests/rbac.ts'
import { accessHubNamespaceRules, accessHubRules } from './hub-rbac.ts'

/** Of the ClusterRole and its binding. Apart from that of the hub: one by which nobody breaks glass need not have it. */
export const accessHubRole = 'open-cluster-management:lanyard-hub-access'
/** Of the Role in the namespace of the hub, and its binding. */
export const accessHubNamespaceRole = 'lanyard-hub-access'

interface Account {
  namespace: string
  name: string
}

export const accessHubRoleManifest = (): Manifest => clusterRole(accessHubRole, accessHubRules())

/** What whoever installs the hub gives it, but for the role. */
export const accessHubBindings = ({ namespace, name }: Account): Manifest[] => [
  clusterRoleBinding(accessHubRole, accessHubRole, [serviceAccount(namespace, name)]),
  ...boundRole(namespace, accessHubNamespaceRole, accessHubNamespaceRules(), [serviceAccount(namespace, name)]),
]

/** What the hub needs on itself for access, beside what it needs to reach clusters. */
export const accessHubManifests = (account: Account): Manifest[] => [
  accessHubRoleManifest(),
  ...accessHubBindings(account),
]
