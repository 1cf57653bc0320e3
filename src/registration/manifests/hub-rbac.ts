import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { managedBy, manifest } from '../../fleet/manifests/manifest.ts'
import { boundRole, clusterRole, clusterRoleBinding, rule, serviceAccount } from '../../fleet/manifests/rbac.ts'
import { clientSigner, rbacNames, registerGroup } from '../../fleet/names.ts'
import { serviceAccounts } from '../../kube/kinds.ts'
import type { HubAws } from './hub-aws.ts'
import { hubAccountAnnotations, hubAwsRbacManifests } from './hub-aws.ts'

export const hubAccount = 'registration-controller-sa'
/** Of the ClusterRole and its binding. */
export const hubRole = 'open-cluster-management:lanyard-hub'
/** Who vouches for the hub's webhooks: `ca.crt` and `ca.key`, in the hub's namespace. */
export const hubCaSecret = 'lanyard-hub-ca'

const look = ['get', 'list', 'watch']
const keep = [...look, 'create', 'patch', 'delete']
/** update: granted, agents of the field use it. */
const report = ['update', 'patch']
const clusterGroup = 'cluster.open-cluster-management.io'

/** For the accounts of add-ons with tokens, which are in the namespaces of their clusters. */
export const hubAddonRules = (): PolicyRule[] => [
  rule('', ['serviceaccounts'], keep),
  // Granted, for one account each. The hub itself asks for no token.
  rule('', ['serviceaccounts/token'], ['create']),
  rule('rbac.authorization.k8s.io', ['roles'], keep),
]

/**
 * What the hub does itself, and what it grants to agents: Kubernetes lets nobody give away a right they do not have.
 * The second kind is marked, so that nobody takes it for unused.
 */
const hubRules = (): PolicyRule[] => [
  // update: granted.
  rule(clusterGroup, ['managedclusters'], [...look, 'update', 'patch', 'delete']),
  rule(clusterGroup, ['managedclustersets'], ['list', 'watch', 'create', 'patch']),
  rule(clusterGroup, ['managedclustersetbindings'], ['list', 'watch']),
  rule(clusterGroup, ['managedclusters/status'], report),
  rule(clusterGroup, ['managedclustersets/status', 'managedclustersetbindings/status'], ['patch']),
  // The webhook asks for it when the hub accepts a cluster by itself.
  rule(registerGroup, ['managedclusters/accept'], ['update']),
  // Granted: what a renewal is judged by.
  rule(registerGroup, ['managedclusters/clientcertificates'], ['renew']),
  // create: granted.
  rule('certificates.k8s.io', ['certificatesigningrequests'], [...look, 'create', 'delete']),
  rule('certificates.k8s.io', ['certificatesigningrequests/approval'], ['update']),
  rule('certificates.k8s.io', ['signers'], ['approve'], [clientSigner]),
  rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
  rule('', ['namespaces'], [...look, 'create', 'patch']),
  rule('rbac.authorization.k8s.io', ['clusterroles', 'clusterrolebindings', 'rolebindings'], keep),
  // Saves the server a check against all bindings, twice for each cluster. What is in these two roles it still checks.
  rule('rbac.authorization.k8s.io', ['clusterroles'], ['bind'], [rbacNames.registrationRole, rbacNames.workRole]),
  rule('coordination.k8s.io', ['leases'], [...look, 'create', 'update', 'patch']),
  // update: granted.
  rule('', ['events'], ['get', 'create', 'update', 'patch']),
  // Granted.
  rule('events.k8s.io', ['events'], ['create']),
  rule('addon.open-cluster-management.io', ['managedclusteraddons'], [...look, 'delete']),
  // update: granted.
  rule('addon.open-cluster-management.io', ['managedclusteraddons/status'], report),
  // update, patch and status: granted.
  rule('work.open-cluster-management.io', ['manifestworks'], [...look, 'update', 'patch', 'delete']),
  rule('work.open-cluster-management.io', ['manifestworks/status'], report),
  ...hubAddonRules(),
]

/** The account of the hub and its rights. @param aws only where clusters join by AWS IAM */
export function hubRbacManifests(namespace: string, aws?: HubAws): Manifest[] {
  const account = serviceAccount(namespace, hubAccount)
  const annotations = hubAccountAnnotations(aws)
  return [
    manifest(serviceAccounts, {
      metadata: { name: hubAccount, namespace, labels: { ...managedBy }, ...(annotations && { annotations }) },
    }),
    clusterRole(hubRole, hubRules()),
    clusterRoleBinding(hubRole, hubRole, [account]),
    ...boundRole(namespace, 'lanyard-hub-ca', [rule('', ['secrets'], ['get'], [hubCaSecret])], [account]),
    ...(aws ? hubAwsRbacManifests({ namespace, name: hubAccount }) : []),
  ]
}
