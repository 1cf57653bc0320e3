import {
  agentNamespace,
  clusterGroup,
  commonGroup,
  hubNamespace,
  operatorNamespace,
  rbacNames,
} from '../../../fleet/names.ts'

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
 * own role or group would be the one all clusters share.
 */
export function whyReserved(cluster: string, ownNamespace?: string): string | undefined {
  if (systemNamespaces.includes(cluster) || cluster === ownNamespace)
    return 'a namespace of that name belongs to the system'
  const role = rbacNames.cluster(cluster)
  if (role === rbacNames.registrationRole || role === rbacNames.workRole) return `all clusters share the role ${role}`
  if (clusterGroup(cluster) === commonGroup) return `agents of all clusters may be in the group ${commonGroup}`
  return undefined
}
