import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { clusterRole, clusterRoleBinding, serviceAccount } from '../../fleet/manifests/rbac.ts'
import { reachHubRules } from './hub-rbac.ts'

/** Of the ClusterRole and its binding. Apart from that of the hub: a hub that reaches no cluster need not read Secrets. */
export const reachHubRole = 'open-cluster-management:lanyard-hub-reach'

export const reachHubRoleManifest = (): Manifest => clusterRole(reachHubRole, reachHubRules())

export const reachHubBinding = (account: { namespace: string; name: string }): Manifest =>
  clusterRoleBinding(reachHubRole, reachHubRole, [serviceAccount(account.namespace, account.name)])

/** What the hub needs on itself for reach, beside what it needs to let clusters in. */
export const reachHubManifests = (account: { namespace: string; name: string }): Manifest[] => [
  reachHubRoleManifest(),
  reachHubBinding(account),
]
