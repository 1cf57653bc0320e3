import type { Requester } from '../../fleet/access-review.ts'
import { clusterGroups, commonGroup, parseAgentUser } from '../../fleet/names.ts'

/**
 * Whether this is an agent of that very cluster: by its user name or, where an agent has another kind of identity, by a
 * group that only the agents of the cluster are in.
 */
export const isAgentOf = ({ username = '', groups = [] }: Requester, cluster: string): boolean =>
  parseAgentUser(username)?.cluster === cluster || clusterGroups(cluster).some((group) => groups.includes(group))

/** Whether it is an agent of any cluster, as far as that can be seen at the write of this one. */
export const isAgent = (requester: Requester, cluster: string): boolean =>
  parseAgentUser(requester.username ?? '') !== undefined ||
  requester.groups?.includes(commonGroup) === true ||
  isAgentOf(requester, cluster)
