import type { Namespace } from 'kubernetes-types/core/v1.d.ts'
import type { ClusterRole, ClusterRoleBinding, PolicyRule, RoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import { clusterGroups, finalizers, labels, rbacNames, registerGroup } from '../../../fleet/names.ts'
import type { Named } from '../../../fleet/wanted/named.ts'

/** The RBAC of one cluster. What is absent must not exist. */
export interface ClusterRbac {
  clusterRole: Named<ClusterRole>
  clusterRoleBinding: Named<ClusterRoleBinding>
  registrationBinding?: Named<RoleBinding>
  workBinding?: Named<RoleBinding>
}

type Labels = Readonly<Record<string, string>>

const rbacGroup = 'rbac.authorization.k8s.io'
const clusterGroup = 'cluster.open-cluster-management.io'
const addonGroup = 'addon.open-cluster-management.io'
const workGroup = 'work.open-cluster-management.io'

const rule = (apiGroup: string, resource: string, verbs: string[], resourceNames?: string[]): PolicyRule => ({
  apiGroups: [apiGroup],
  resources: [resource],
  verbs,
  ...(resourceNames && { resourceNames }),
})

const named = (name: string, cluster: string, extra: Labels) => ({
  name,
  labels: { ...extra, [labels.clusterName]: cluster },
})

export const clusterNamespace = (cluster: string, extra: Labels): Named<Namespace> => ({
  metadata: named(cluster, cluster, extra),
})

export function acceptedRbac(cluster: string, extra: Labels): Required<ClusterRbac> {
  const own = [cluster]
  return {
    clusterRole: clusterRole(cluster, extra, [
      rule('certificates.k8s.io', 'certificatesigningrequests', ['create', 'get', 'list', 'watch']),
      rule(registerGroup, 'managedclusters/clientcertificates', ['renew'], own),
      rule(clusterGroup, 'managedclusters', ['get', 'list', 'patch', 'update', 'watch'], own),
      rule(clusterGroup, 'managedclusters/status', ['patch', 'update'], own),
    ]),
    clusterRoleBinding: clusterRoleBinding(cluster, extra),
    registrationBinding: binding(rbacNames.registrationBinding(cluster), rbacNames.registrationRole, cluster, extra),
    workBinding: withFinalizer(binding(rbacNames.workBinding(cluster), rbacNames.workRole, cluster, extra)),
  }
}

/** What a cluster keeps that was accepted once: its agent can see that it is denied, and nothing else. */
export const deniedRbac = (cluster: string, extra: Labels): ClusterRbac => ({
  clusterRole: clusterRole(cluster, extra, [
    rule(clusterGroup, 'managedclusters', ['get', 'list', 'watch'], [cluster]),
  ]),
  clusterRoleBinding: clusterRoleBinding(cluster, extra),
})

/** What the role bindings of all clusters refer to. */
export const commonRoles = (extra: Labels): Named<ClusterRole>[] => [
  {
    metadata: named(rbacNames.registrationRole, '', extra),
    rules: [
      rule('coordination.k8s.io', 'leases', ['get', 'list', 'watch', 'update']),
      rule(addonGroup, 'managedclusteraddons', ['get', 'list', 'watch']),
      rule(addonGroup, 'managedclusteraddons/status', ['patch', 'update']),
      rule('events.k8s.io', 'events', ['create']),
    ],
  },
  {
    metadata: named(rbacNames.workRole, '', extra),
    rules: [
      rule('', 'events', ['create', 'patch', 'update']),
      rule(workGroup, 'manifestworks', ['get', 'list', 'watch', 'update', 'patch']),
      rule(workGroup, 'manifestworks/status', ['patch', 'update']),
    ],
  },
]

const clusterRole = (cluster: string, extra: Labels, rules: PolicyRule[]): Named<ClusterRole> => ({
  metadata: named(rbacNames.cluster(cluster), cluster, extra),
  rules,
})

const clusterRoleBinding = (cluster: string, extra: Labels): Named<ClusterRoleBinding> =>
  binding(rbacNames.cluster(cluster), rbacNames.cluster(cluster), cluster, extra)

const binding = (name: string, role: string, cluster: string, extra: Labels) => ({
  metadata: named(name, cluster, extra),
  subjects: clusterGroups(cluster).map((group) => ({ apiGroup: rbacGroup, kind: 'Group', name: group })),
  roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: role },
})

/** The agent must be able to remove what works made, so its rights on works outlast every other. */
const withFinalizer = (wanted: Named<RoleBinding>): Named<RoleBinding> => ({
  ...wanted,
  metadata: { ...wanted.metadata, finalizers: [finalizers.manifestWorkCleanup] },
})
