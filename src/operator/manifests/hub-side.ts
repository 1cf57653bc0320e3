/** What the operator needs for a ClusterManager: what the hub and new clusters are given, and the right to give it. */
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import { accessHubBindings, accessHubRole } from '../../access/manifests/hub.ts'
import { hubKinds } from '../../apis/fleet-kinds.ts'
import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { rule } from '../../fleet/manifests/rbac.ts'
import { reachHubBinding, reachHubRole } from '../../reach/manifests/hub.ts'
import { bootstrapAccount, bootstrapManifests } from '../../registration/manifests/bootstrap.ts'
import { clusterInfo } from '../../registration/manifests/cluster-info.ts'
import { crdManifests } from '../../registration/manifests/crds.ts'
import { hubService } from '../../registration/manifests/hub.ts'
import { hubAccount, hubCaSecret, hubRbacManifests, hubRole } from '../../registration/manifests/hub-rbac.ts'
import { webhookConfigurationName } from '../../registration/manifests/webhooks.ts'
import { keepNamed, rulesIn } from './rules.ts'

const rbacGroup = 'rbac.authorization.k8s.io'
const operatorGroup = 'operator.open-cluster-management.io'
const webhookKinds = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']

const granted = (namespace: string): Manifest[] => [
  ...hubRbacManifests(namespace),
  ...bootstrapManifests(),
  reachHubBinding({ namespace, name: hubAccount }),
  ...accessHubBindings({ namespace, name: hubAccount }),
]

const namesOf = (namespace: string, kind: string, within?: string): string[] =>
  granted(namespace)
    .filter(({ object }) => object.kind === kind && object.metadata.namespace === within)
    .map(({ object }) => object.metadata.name)

const kindNames = crdManifests(hubKinds).map(({ object }) => object.metadata.name)

/** Everywhere. */
export const hubClusterRules = (namespace: string): PolicyRule[] => [
  rule(operatorGroup, ['clustermanagers'], ['get', 'list', 'watch', 'patch']),
  rule(operatorGroup, ['clustermanagers/status'], ['patch']),
  rule('apiextensions.k8s.io', ['customresourcedefinitions'], ['get', 'create', 'patch'], kindNames),
  ...webhookKinds.map((kind) => keepNamed('admissionregistration.k8s.io', kind, [webhookConfigurationName])),
  keepNamed(rbacGroup, 'clusterroles', [...namesOf(namespace, 'ClusterRole'), hubRole]),
  keepNamed(rbacGroup, 'clusterrolebindings', namesOf(namespace, 'ClusterRoleBinding')),
  // These roles come with the operator: who binds them need not have what is in them.
  rule(rbacGroup, ['clusterroles'], ['bind'], [reachHubRole, accessHubRole]),
  rule('', ['namespaces'], ['delete'], [namespace]),
  ...rulesIn(granted(namespace)),
]

/** In the namespace of the hub. */
export const hubNamespaceRules = (namespace: string): PolicyRule[] => [
  keepNamed('apps', 'deployments', [hubService]),
  keepNamed('', 'services', [hubService]),
  keepNamed('', 'serviceaccounts', [hubAccount]),
  keepNamed(rbacGroup, 'roles', namesOf(namespace, 'Role', namespace)),
  keepNamed(rbacGroup, 'rolebindings', namesOf(namespace, 'RoleBinding', namespace)),
  rule('', ['secrets'], ['create']),
  rule('', ['secrets'], ['delete'], [hubCaSecret]),
  rule('coordination.k8s.io', ['leases'], ['delete'], [hubService]),
  ...rulesIn(granted(namespace), namespace),
]

/** Where tokens for new clusters come from. */
export const bootstrapNamespaceRules = (): PolicyRule[] => [keepNamed('', 'serviceaccounts', [bootstrapAccount.name])]

/** Where the hub says how it is reached. */
export const clusterInfoRules = (namespace: string): PolicyRule[] => [
  keepNamed(rbacGroup, 'roles', namesOf(namespace, 'Role', clusterInfo.namespace)),
  keepNamed(rbacGroup, 'rolebindings', namesOf(namespace, 'RoleBinding', clusterInfo.namespace)),
  ...rulesIn(granted(namespace), clusterInfo.namespace),
]
