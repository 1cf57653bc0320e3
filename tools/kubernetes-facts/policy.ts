import type { Kube } from '../../src/kube/kube.ts'

interface RbacObject {
  metadata: {
    name: string
    namespace?: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
  }
  aggregationRule?: unknown
  rules?: unknown
  roleRef?: unknown
  subjects?: unknown
}

const group = '/apis/rbac.authorization.k8s.io/v1'
const bootstrapped = 'kubernetes.io/bootstrapping=rbac-defaults'

/** The roles and bindings that the server makes for itself when it starts. */
export async function bootstrapPolicy(kube: Kube): Promise<Record<string, unknown[]>> {
  const read = async (plural: string, kind: string) => {
    const query = { labelSelector: bootstrapped }
    const { items } = await kube.request<{ items: RbacObject[] }>({ path: `${group}/${plural}`, query })
    return items.map((item) => asDeclared(kind, item)).sort(byName)
  }
  return {
    clusterRoles: await read('clusterroles', 'ClusterRole'),
    clusterRoleBindings: await read('clusterrolebindings', 'ClusterRoleBinding'),
    roles: await read('roles', 'Role'),
    roleBindings: await read('rolebindings', 'RoleBinding'),
  }
}

/** Without what the server and its controllers fill in: an aggregated role's rules follow from the roles it gathers. */
function asDeclared(kind: string, { metadata, aggregationRule, rules, roleRef, subjects }: RbacObject) {
  const { name, namespace, labels, annotations } = metadata
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name, ...(namespace && { namespace }), ...(labels && { labels }), ...(annotations && { annotations }) },
    ...(aggregationRule ? { aggregationRule, rules: [] } : rules ? { rules } : {}),
    ...(roleRef ? { roleRef } : {}),
    ...(subjects ? { subjects } : {}),
  }
}

const fullName = ({ metadata: { namespace = '', name } }: { metadata: { namespace?: string; name: string } }) =>
  `${namespace}/${name}`

const byName = (a: Parameters<typeof fullName>[0], b: Parameters<typeof fullName>[0]): number =>
  fullName(a) < fullName(b) ? -1 : 1
