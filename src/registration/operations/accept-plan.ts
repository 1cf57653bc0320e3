import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Failure } from '../../core/failure.ts'
import { agentUser, annotations, parseAgentUser } from '../../fleet/names.ts'
import type { Stored } from '../../kube/objects.ts'
import type { ForeignNamespace } from '../foreign-namespace.ts'
import { contentOf } from '../foreign-namespace.ts'
import { failures as membershipFailures } from '../hub/membership/failures.ts'
import { whyReserved } from '../hub/membership/reserved-names.ts'
import { bootstrapTokenGroup, bootstrapUser } from '../manifests/bootstrap.ts'
import { failures } from './failures.ts'

/** A certificate request for a cluster that waits for approval, and whom it would let in. */
export interface Asking {
  readonly csr: string
  readonly agent: string
  readonly requester: string
  readonly groups: readonly string[]
  /** Tells the keys of requests apart. */
  readonly publicKey: string
}

/** What the hub knows of the agent that has joined. */
export interface JoinedAgent {
  readonly agent: string
  /** The hub has not given it up: it hears of it, whether or not its API server answers. */
  readonly isHeard: boolean
  readonly hasCertificate: boolean
  /** The hub itself says that a second agent asks. */
  readonly isContested: boolean
}

export interface AcceptChoices {
  /** Users whose requests are approved, besides those that every hub knows. */
  readonly requesters: readonly string[]
  /** Which of several agents that ask. */
  readonly agent?: string
  /** Which of several requests of one agent. */
  readonly csr?: string
  /** Lets another agent take the place of one that is alive. */
  readonly replaceAgent: boolean
  /** Accepts although no request waits. */
  readonly skipApproveCheck: boolean
  /** Gives the agent rights in a namespace that others use. */
  readonly intoForeignNamespace: boolean
}

export interface AcceptSituation {
  readonly cluster: Stored<ManagedCluster>
  /** The oldest first. */
  readonly asking: readonly Asking[]
  /** Whether a certificate was issued for the cluster, or a request is approved: the person need not approve another. */
  readonly hasApproved: boolean
  readonly joined?: JoinedAgent
  /** It comes by AWS IAM, where nobody asks for a certificate. */
  readonly isAws?: boolean
  /** That of its name, where it was not made for the cluster and something is in it, or may be. */
  readonly foreign?: ForeignNamespace
}

export type AcceptPlan =
  | { readonly plan: 'nothing' }
  /** First approve, then accept. */
  | { readonly plan: 'accept'; readonly approve?: Asking }
  | { readonly plan: 'refuse'; readonly failure: Failure }

/** What `lanyard accept` will do about one cluster. Nothing is changed where this refuses. */
export function planAcceptance(situation: AcceptSituation, choices: AcceptChoices): AcceptPlan {
  const { cluster, hasApproved, joined } = situation
  const { name } = cluster.metadata
  const refuse = (failure: Failure): AcceptPlan => ({ plan: 'refuse', failure })
  if (cluster.metadata.deletionTimestamp) return refuse(failures.CLUSTER_LEAVES({ cluster: name }))
  const detail = whyReserved(name)
  if (detail !== undefined) return refuse(membershipFailures.CLUSTER_NAME_RESERVED({ cluster: name, detail }))
  const { foreign } = situation
  if (foreign && cluster.spec?.hubAcceptsClient !== true && !choices.intoForeignNamespace)
    return refuse(failures.ACCEPT_FOREIGN_NAMESPACE({ cluster: name, content: contentOf(foreign) }))
  if (situation.isAws) return cluster.spec?.hubAcceptsClient === true ? { plan: 'nothing' } : { plan: 'accept' }

  const wanted = situation.asking.filter((one) => isBootstrap(one, name) && isWanted(one, choices))
  const known = wanted.filter((one) => isKnownRequester(one, cluster, choices))
  const newest = known.at(-1)
  if (!newest) {
    const unknown = wanted.at(-1)
    if (unknown) return refuse(whyUnknown(unknown, name))
    if (!hasApproved && !choices.skipApproveCheck) return refuse(failures.ACCEPT_NO_REQUEST({ cluster: name }))
    return cluster.spec?.hubAcceptsClient === true ? { plan: 'nothing' } : { plan: 'accept' }
  }
  const agents = [...new Set(known.map(({ agent }) => agent))].sort()
  if (agents.length > 1) return refuse(failures.ACCEPT_SEVERAL_AGENTS({ cluster: name, agents: agents.join(', ') }))
  if (new Set(known.map(({ publicKey }) => publicKey)).size > 1) {
    const csrs = known.map(({ csr }) => csr).join(', ')
    return refuse(failures.ACCEPT_SEVERAL_REQUESTS({ cluster: name, agent: newest.agent, csrs }))
  }
  if (joined && isSecond(newest, joined) && !choices.replaceAgent)
    return refuse(failures.ACCEPT_SECOND_AGENT({ cluster: name, joined: joined.agent, asking: newest.agent }))
  return { plan: 'accept', approve: newest }
}

/** An agent that renews its certificate asks the hub, not a person. */
const isBootstrap = ({ requester, agent }: Asking, cluster: string): boolean => requester !== agentUser(cluster, agent)

const isWanted = ({ agent, csr }: Asking, choices: AcceptChoices): boolean =>
  (choices.agent === undefined || agent === choices.agent) && (choices.csr === undefined || csr === choices.csr)

/** As the hub itself judges: alive is whoever is heard of, and another agent whose certificate is still good. */
const isSecond = ({ agent }: Asking, joined: JoinedAgent): boolean =>
  joined.isHeard || joined.isContested || (joined.agent !== agent && joined.hasCertificate)

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

/** The agent of another cluster has no business here: nobody is told how to let it in. */
const whyUnknown = ({ csr, requester }: Asking, cluster: string): Failure =>
  parseAgentUser(requester)
    ? failures.ACCEPT_OTHER_AGENT({ cluster, csr, requester })
    : failures.ACCEPT_OTHER_REQUESTER({ cluster, csr, requester })
