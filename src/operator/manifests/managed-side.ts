/** What the operator needs for Klusterlets: what agents are given, and the right to give it, by name and by namespace. */
import type { PolicyRule } from 'kubernetes-types/rbac/v1.d.ts'
import type { Manifest } from '../../fleet/manifests/manifest.ts'
import { managedBy, manifest } from '../../fleet/manifests/manifest.ts'
import { rule } from '../../fleet/manifests/rbac.ts'
import { addonNamespace, addonSecretsConfigMap, agentSecrets, clusterNameConfigMap } from '../../fleet/names.ts'
import { namespaces } from '../../kube/kinds.ts'
import {
  agentAccount,
  agentDeployment,
  agentLease,
  agentRbacManifests,
  agentRole,
} from '../../registration/manifests/agent.ts'
import { keepNamed, rulesIn } from './rules.ts'

const rbacGroup = 'rbac.authorization.k8s.io'
const operatorGroup = 'operator.open-cluster-management.io'

export const managedNamespaces = (agentNamespaces: readonly string[]): Manifest[] =>
  [...agentNamespaces, addonNamespace].map((name) =>
    manifest(namespaces, { metadata: { name, labels: { ...managedBy } } }),
  )

const granted = (agentNamespaces: readonly string[]): Manifest[] =>
  agentNamespaces.flatMap((namespace) => agentRbacManifests({ namespace, image: '' }))

/** Everywhere. */
export const managedClusterRules = (agentNamespaces: readonly string[]): PolicyRule[] => {
  const names = agentNamespaces.map(agentRole)
  return [
    rule(operatorGroup, ['klusterlets'], ['get', 'list', 'watch', 'patch']),
    rule(operatorGroup, ['klusterlets/status'], ['patch']),
    keepNamed(rbacGroup, 'clusterroles', names),
    keepNamed(rbacGroup, 'clusterrolebindings', names),
    // Only those that it made itself; the names are all it may work in.
    rule('', ['namespaces'], ['delete'], [...agentNamespaces, addonNamespace]),
    ...rulesIn(granted(agentNamespaces.slice(0, 1))),
  ]
}

/** In the namespace of an agent. */
export const agentNamespaceRules = (namespace: string): PolicyRule[] => [
  keepNamed('apps', 'deployments', [agentDeployment]),
  keepNamed('', 'serviceaccounts', [agentAccount]),
  // An agent that joins by AWS IAM has no other credential that the operator could look at the hub with.
  rule('', ['serviceaccounts/token'], ['create'], [agentAccount]),
  keepNamed(rbacGroup, 'roles', [agentAccount]),
  keepNamed(rbacGroup, 'rolebindings', [agentAccount]),
  rule('', ['secrets'], ['delete'], Object.values(agentSecrets)),
  rule('', ['configmaps'], ['delete'], [clusterNameConfigMap, addonSecretsConfigMap]),
  rule('coordination.k8s.io', ['leases'], ['delete'], [agentLease]),
  ...rulesIn(granted([namespace]), namespace),
]

/** In the namespace of add-ons. */
export const addonNamespaceRules = (agentNamespaces: readonly string[]): PolicyRule[] => [
  keepNamed(rbacGroup, 'roles', agentNamespaces.map(agentRole)),
  keepNamed(rbacGroup, 'rolebindings', agentNamespaces.map(agentRole)),
  ...rulesIn(granted(agentNamespaces.slice(0, 1)), addonNamespace),
]
