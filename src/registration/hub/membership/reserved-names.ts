import { agentNamespace, hubNamespace, operatorNamespace, rbacNames } from '../../../fleet/names.ts'

const systemNamespaces = [
  'default',
  'kube-system',
  'kube-public',
  'kube-node-lease',
  hubNamespace,
  operatorNamespace,
  agentNamespace,
]

/**
 * Why no cluster may have this name: its agent would get rights in a namespace where others elect their leaders, or its
 * own role would be the one all clusters share.
 */
export function whyReserved(cluster: string, ownNamespace?: string): string | undefined {
  if (systemNamespaces.includes(cluster) || cluster === ownNamespace)
    return 'a namespace of that name belongs to the system'
  const role = rbacNames.cluster(cluster)
  if (role === rbacNames.registrationRole || role === rbacNames.workRole) return `all clusters share the role ${role}`
  return undefined
}
