import type { ClusterRole, RoleBinding, Subject } from 'kubernetes-types/rbac/v1.d.ts'
import { system } from '../authentication/user.ts'
import type { ApiObject } from '../objects.ts'
import policy from './facts/bootstrap-policy.json' with { type: 'json' }
import { missingRights } from './rule-coverage.ts'

const apiGroup = 'rbac.authorization.k8s.io'
const apiVersion = `${apiGroup}/v1`

/** kubeadm's: whoever wants to join may read where to, before they are anybody. */
const clusterInfo = { name: 'kubeadm:bootstrap-signer-clusterinfo', namespace: 'kube-public' }

const readableClusterInfo: ApiObject[] = [
  {
    apiVersion,
    kind: 'Role',
    metadata: { ...clusterInfo },
    rules: [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['cluster-info'] }],
  },
  {
    apiVersion,
    kind: 'RoleBinding',
    metadata: { ...clusterInfo },
    subjects: [{ kind: 'User', apiGroup, name: system.anonymous }],
    roleRef: { apiGroup, kind: 'Role', name: clusterInfo.name },
  },
]

/** The roles and bindings that every cluster has. A copy: whoever writes them may change them. Roles come first. */
export function bootstrapPolicy(): ApiObject[] {
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = policy
  const all = [...clusterRoles, ...clusterRoleBindings, ...roles, ...roleBindings] as unknown as ApiObject[]
  return structuredClone([...all, ...readableClusterInfo])
}

const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate'

/**
 * What to write at the start so that a cluster has this role or binding: the wanted one when there is none, the existing
 * one with what it lacks, undefined when nothing is to be done. What somebody added stays; an object whose annotation
 * says so is left alone altogether.
 */
export function reconcilePolicy(existing: ApiObject | undefined, wanted: ApiObject): ApiObject | undefined {
  if (!existing) return wanted
  if (existing.metadata.annotations?.[autoUpdate] === 'false') return undefined
  const next = structuredClone(existing)
  const changed = [
    addMetadata(next, wanted),
    wanted.kind.endsWith('Binding') ? completeBinding(next, wanted) : completeRole(next, wanted),
  ]
  return changed.includes(true) ? next : undefined
}

function addMetadata({ metadata }: ApiObject, wanted: ApiObject): boolean {
  let changed = false
  for (const field of ['labels', 'annotations'] as const)
    for (const [key, value] of Object.entries(wanted.metadata[field] ?? {})) {
      if (metadata[field]?.[key] !== undefined) continue
      metadata[field] = { ...metadata[field], [key]: value }
      changed = true
    }
  return changed
}

function completeRole(next: ApiObject, wanted: ApiObject): boolean {
  const [role, model] = [next as unknown as ClusterRole, wanted as unknown as ClusterRole]
  let changed = false
  const held = role.rules ?? []
  const missing = (model.rules ?? []).filter((rule) => missingRights(held, [rule]).missing.length > 0)
  if (missing.length > 0) {
    role.rules = [...held, ...missing]
    changed = true
  }
  if (!model.aggregationRule) {
    if (!role.aggregationRule) return changed
    delete role.aggregationRule
    return true
  }
  const selectors = role.aggregationRule?.clusterRoleSelectors ?? []
  const known = new Set(selectors.map((selector) => JSON.stringify(selector)))
  const more = (model.aggregationRule.clusterRoleSelectors ?? []).filter(
    (selector) => !known.has(JSON.stringify(selector)),
  )
  if (more.length === 0) return changed
  role.aggregationRule = { clusterRoleSelectors: [...selectors, ...more] }
  return true
}

/** Where a binding is of another role, it is made anew, subjects and all: its role cannot change. */
function completeBinding(next: ApiObject, wanted: ApiObject): boolean {
  const [binding, model] = [next as unknown as RoleBinding, wanted as unknown as RoleBinding]
  if (binding.roleRef.kind !== model.roleRef.kind || binding.roleRef.name !== model.roleRef.name) {
    const { uid, resourceVersion, creationTimestamp, ...metadata } = next.metadata
    Object.assign(next, { roleRef: wanted['roleRef'], subjects: wanted['subjects'], metadata })
    return true
  }
  const subjects = binding.subjects ?? []
  const known = new Set(subjects.map(subjectKey))
  const missing = (model.subjects ?? []).filter((subject) => !known.has(subjectKey(subject)))
  if (missing.length === 0) return false
  binding.subjects = [...subjects, ...missing]
  return true
}

const subjectKey = ({ kind, apiGroup: group = '', namespace = '', name }: Subject): string =>
  [kind, kind === 'ServiceAccount' ? '' : group, namespace, name].join('|')
