import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Failure } from '../../core/failure.ts'
import { annotations } from '../../fleet/names.ts'
import type { Stored } from '../../kube/objects.ts'
import { bootstrapTokenGroup, bootstrapUser } from '../manifests/bootstrap.ts'
import { failures } from './failures.ts'

/** A certificate request of a cluster that waits for approval, and whom it would let in. */
export interface Asking {
  readonly csr: string
  readonly agent: string
  readonly requester: string
  readonly groups: readonly string[]
}

/** What the hub knows of the agent that has joined; absent when none has. */
export interface JoinedAgent {
  readonly agent: string
  readonly isAlive: boolean
}

export interface AcceptChoices {
  /** Users whose requests are approved, besides those that every hub knows. */
  readonly requesters: readonly string[]
  /** Which of several agents that ask. */
  readonly agent?: string
  /** Lets another agent take the place of one that is alive. */
  readonly replaceAgent: boolean
  /** Accepts although no request waits. */
  readonly skipApproveCheck: boolean
}

export interface AcceptSituation {
  readonly cluster: Stored<ManagedCluster>
  readonly asking: readonly Asking[]
  /** Whether a certificate was issued for the cluster, or a request is approved: the person need not approve another. */
  readonly hasApproved: boolean
  readonly joined?: JoinedAgent
}

export type AcceptPlan =
  | { readonly plan: 'nothing' }
  /** First approve, then accept. `replaces`: the hub has to be told that this agent may take over. */
  | { readonly plan: 'accept'; readonly approve?: Asking; readonly replaces?: string }
  | { readonly plan: 'refuse'; readonly failure: Failure }

/** What `lanyard accept` will do about one cluster. Nothing is changed where this refuses. */
export function planAcceptance(situation: AcceptSituation, choices: AcceptChoices): AcceptPlan {
  const { cluster, asking, hasApproved, joined } = situation
  const { name } = cluster.metadata
  const refuse = (failure: Failure): AcceptPlan => ({ plan: 'refuse', failure })
  if (cluster.metadata.deletionTimestamp) return refuse(failures.CLUSTER_LEAVES({ cluster: name }))

  const chosen = asking.filter(({ agent }) => choices.agent === undefined || agent === choices.agent)
  const agents = [...new Set(chosen.map(({ agent }) => agent))]
  if (agents.length > 1)
    return refuse(failures.ACCEPT_SEVERAL_AGENTS({ cluster: name, agents: agents.sort().join(', ') }))
  const newest = chosen.at(-1)
  const isAccepted = cluster.spec?.hubAcceptsClient === true
  if (!newest) {
    if (isAccepted && (hasApproved || choices.skipApproveCheck)) return { plan: 'nothing' }
    if (hasApproved || choices.skipApproveCheck) return { plan: 'accept' }
    return refuse(failures.ACCEPT_NO_REQUEST({ cluster: name }))
  }
  if (!isKnownRequester(newest, cluster, choices))
    return refuse(failures.ACCEPT_OTHER_REQUESTER({ cluster: name, csr: newest.csr, requester: newest.requester }))
  const isSecond = joined?.isAlive === true
  if (isSecond && !choices.replaceAgent)
    return refuse(failures.ACCEPT_SECOND_AGENT({ cluster: name, joined: joined.agent, asking: newest.agent }))
  return { plan: 'accept', approve: newest, ...(isSecond && { replaces: newest.agent }) }
}

/** Those whom a hub gives to agents that want to join, whoever created the cluster, and whom the person names. */
const isKnownRequester = (
  { requester, groups }: Asking,
  { metadata }: Stored<ManagedCluster>,
  { requesters }: AcceptChoices,
): boolean =>
  requester === bootstrapUser ||
  groups.includes(bootstrapTokenGroup) ||
  requester === metadata.annotations?.[annotations.createdBy] ||
  requesters.includes(requester)
