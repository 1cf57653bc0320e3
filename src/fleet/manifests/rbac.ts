import type { PolicyRule, Subject } from 'kubernetes-types/rbac/v1.d.ts'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '../../kube/kinds.ts'
import type { Manifest } from './manifest.ts'
import { managedBy, manifest } from './manifest.ts'

const apiGroup = 'rbac.authorization.k8s.io'

export const group = (name: string): Subject => ({ apiGroup, kind: 'Group', name })
export const user = (name: string): Subject => ({ apiGroup, kind: 'User', name })
export const serviceAccount = (namespace: string, name: string): Subject => ({
  kind: 'ServiceAccount',
  namespace,
  name,
})

export const clusterRole = (name: string, rules: PolicyRule[]): Manifest =>
  manifest(clusterRoles, { metadata: { name, labels: { ...managedBy } }, rules })

/** Binds a ClusterRole everywhere. */
export const clusterRoleBinding = (name: string, role: string, subjects: Subject[]): Manifest =>
  manifest(clusterRoleBindings, {
    metadata: { name, labels: { ...managedBy } },
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects,
  })

/** A Role and the binding of the same name. */
export const boundRole = (namespace: string, name: string, rules: PolicyRule[], subjects: Subject[]): Manifest[] => [
  manifest(roles, { metadata: { name, namespace, labels: { ...managedBy } }, rules }),
  manifest(roleBindings, {
    metadata: { name, namespace, labels: { ...managedBy } },
    roleRef: { apiGroup, kind: 'Role', name },
    subjects,
  }),
]

export const rule = (
  apiGroups: string,
  resources: string[],
  verbs: string[],
  resourceNames?: string[],
): PolicyRule => ({
  apiGroups: [apiGroups],
  resources,
  verbs,
  ...(resourceNames && { resourceNames }),
})
