import type { Requester } from '../../fleet/access-review.ts'
import { clusterGroup, clusterGroups, parseAgentUser, parseClusterGroup } from '../../fleet/names.ts'

/**
 * Whether this is an agent of that very cluster: by its user name or, where an agent has another kind of identity, as on
 * EKS, by a group that only the agents of the cluster are in.
 */
export const isAgentOf = ({ username = '', groups = [] }: Requester, cluster: string): boolean =>
  parseAgentUser(username)?.cluster === cluster || clusterGroups(cluster).some((group) => groups.includes(group))

/**
 * Whether it is an agent of any cluster, when it asks for something about this one. The group that all agents of the
 * field share is of the same form. A group as on EKS may be one of people, such as `open-cluster-management:admins`,
 * unless it is that of this cluster, or the user is called so, as access entries have it.
 */
export const isAgent = (requester: Requester, cluster: string): boolean => {
  const { username = '', groups = [] } = requester
  const isOfAgents = (group: string) => {
    const named = parseClusterGroup(group)
    return named !== undefined && (group === clusterGroup(named) || group === username)
  }
  return parseAgentUser(username) !== undefined || isAgentOf(requester, cluster) || groups.some(isOfAgents)
}
