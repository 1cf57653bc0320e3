import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { managedBy, manifest, secretData } from '../../fleet/manifests/manifest.ts'
import { boundRole, clusterRole, clusterRoleBinding, group, rule, serviceAccount } from '../../fleet/manifests/rbac.ts'
import { operatorNamespace, rbacNames } from '../../fleet/names.ts'
import { namespaces, secrets, serviceAccounts } from '../../kube/kinds.ts'
import { clusterInfo } from './cluster-info.ts'

/** Whose tokens a new cluster begins with. */
export const bootstrapAccount = { namespace: operatorNamespace, name: 'agent-registration-bootstrap' } as const
/** The user that the API server takes such a token for. */
export const bootstrapUser = `system:serviceaccount:${bootstrapAccount.namespace}:${bootstrapAccount.name}`

export const bootstrapTokenId = 'ocmhub'
export const bootstrapTokenSecret = `bootstrap-token-${bootstrapTokenId}`
/** Tokens of `kube-system/bootstrap-token-ocmhub` are in it. */
export const bootstrapTokenGroup = 'system:bootstrappers:managedcluster'

/**
 * What a cluster may do before the hub knows it, and the two identities that may do it. Less than hubs of the field give:
 * nothing here reads other ConfigMaps, lists their clusters or puts one into a set.
 */
export const bootstrapManifests = (): Manifest[] => [
  manifest(namespaces, { metadata: { name: bootstrapAccount.namespace, labels: { ...managedBy } } }),
  manifest(serviceAccounts, { metadata: { ...bootstrapAccount, labels: { ...managedBy } } }),
  clusterRole(rbacNames.bootstrapRole, [
    rule('certificates.k8s.io', ['certificatesigningrequests'], ['create', 'get', 'list', 'watch']),
    rule('cluster.open-cluster-management.io', ['managedclusters'], ['get', 'create']),
  ]),
  clusterRoleBinding(`${rbacNames.bootstrapRole}:agent-registration`, rbacNames.bootstrapRole, [
    serviceAccount(bootstrapAccount.namespace, bootstrapAccount.name),
  ]),
  clusterRoleBinding(`${rbacNames.bootstrapRole}:managedcluster`, rbacNames.bootstrapRole, [
    group(bootstrapTokenGroup),
  ]),
  // Where the hub says how it is reached from inside.
  ...boundRole(
    clusterInfo.namespace,
    rbacNames.bootstrapRole,
    [rule('', ['configmaps'], ['get'], [clusterInfo.name])],
    [serviceAccount(bootstrapAccount.namespace, bootstrapAccount.name), group(bootstrapTokenGroup)],
  ),
]

/**
 * A bootstrap token; `signing` lets a new cluster tell a true `cluster-info` by it. It ends, other than the one of the
 * field: a token that never does is a password that everybody shares.
 */
export const bootstrapTokenManifest = (secret: string, expiresAt: Date): Manifest =>
  manifest(secrets, {
    metadata: { name: bootstrapTokenSecret, namespace: 'kube-system', labels: { ...managedBy } },
    type: 'bootstrap.kubernetes.io/token',
    data: secretData({
      'token-id': bootstrapTokenId,
      'token-secret': secret,
      'usage-bootstrap-authentication': 'true',
      'usage-bootstrap-signing': 'true',
      'auth-extra-groups': bootstrapTokenGroup,
      expiration: `${expiresAt.toISOString().slice(0, 19)}Z`,
      description: 'Lets clusters ask to join this hub.',
    }),
  })
