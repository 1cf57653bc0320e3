import type { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Reason } from '../../../core/reason.ts'
import type { Check } from '../../../fleet/csr/approval.ts'
import { firstViolation } from '../../../fleet/csr/approval.ts'
import { reasons as requestReasons } from '../../../fleet/csr/reasons.ts'
import { isSameSubject } from '../../../fleet/csr/request.ts'
import { annotations, clientSigner } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { RegistrationItem } from '../../registrations.ts'
import { itemsOf } from '../../registrations.ts'
import { isOwnSubject, isReservedSubject } from './own-subjects.ts'
import type { AddonRequest } from './read-request.ts'
import { reasons } from './reasons.ts'
import { certificateSubject, wantedSubject } from './subject.ts'

/** Says yes to subjects that only the operator of a hub can know to be harmless. */
export interface AddonApprover {
  readonly addon: string
  mayApprove(request: AddonRequest): boolean
}

/** A request with the world around it. */
export interface Judged {
  readonly request: AddonRequest
  readonly cluster: Stored<ManagedCluster> | undefined
  readonly addon: Stored<ManagedClusterAddOn> | undefined
  readonly approvers: readonly AddonApprover[]
}

const checks: readonly Check<Judged>[] = [
  [requestReasons.OtherSigner, ({ request }) => request.signer !== clientSigner],
  [reasons.ClusterNotAccepted, ({ cluster }) => cluster?.spec?.hubAcceptsClient !== true],
  [reasons.ClusterNotAccepted, ({ cluster }) => cluster?.metadata.deletionTimestamp !== undefined],
  [reasons.AgentReplaced, ({ cluster, request }) => isReplaced(cluster, request)],
  [reasons.AddonNotFound, ({ addon }) => addon === undefined],
  [reasons.NotRegistered, ({ addon, request }) => !addon || !isRegistered(addon, request)],
  [reasons.ReservedSubject, ({ request }) => isReservedSubject(request, request.subject)],
  [reasons.OtherSubject, (judged) => !isOwnSubject(judged.request, judged.request.subject) && !isVouchedFor(judged)],
]

/** Why the hub does not approve a request; undefined when it does. It speaks for its own signer and for no other. */
export const whyNotApproved = (judged: Judged): Reason | undefined => firstViolation(checks, judged)

/** The agent on record is the one that got the newest certificate; who was replaced has one that is good for a while. */
function isReplaced(cluster: Stored<ManagedCluster> | undefined, request: AddonRequest): boolean {
  const recorded = cluster?.metadata.annotations?.[annotations.agentName]
  return recorded !== undefined && !isByRole(cluster, request) && recorded !== request.agent
}

/**
 * A role of AWS is the cluster's and not one agent's, and the hub takes it away as a whole. Its user names no agent, or
 * has the name of the driver in its place where EKS knows the role by the ConfigMap aws-auth.
 */
const isByRole = (cluster: Stored<ManagedCluster> | undefined, { agent }: AddonRequest): boolean =>
  agent === undefined || (agent === 'awsirsa' && cluster?.metadata.annotations?.[annotations.awsRole] !== undefined)

const isVouchedFor = ({ request, approvers }: Judged): boolean =>
  approvers.some(({ addon, mayApprove }) => addon === request.addon && mayApprove(request))

/** The items of an add-on that come by a certificate of this signer. */
const itemsFor = (addon: Stored<ManagedClusterAddOn>, signer: string): RegistrationItem[] =>
  itemsOf(addon).filter((item) => item.signer === signer && item.driver !== 'token')

const asksFor = (item: RegistrationItem, { subject }: AddonRequest): boolean =>
  isSameSubject(subject, certificateSubject(wantedSubject(item)))

export const isRegistered = (addon: Stored<ManagedClusterAddOn>, request: AddonRequest): boolean =>
  itemsFor(addon, request.signer).some((item) => asksFor(item, request))

/**
 * Whether no registration asks for what a request asks for. Where one leaves its subject open, an agent of another make
 * may fill it in as it likes: then nobody can tell.
 */
export function isUnwanted(addon: Stored<ManagedClusterAddOn> | undefined, request: AddonRequest): boolean {
  if (!addon) return true
  const items = itemsFor(addon, request.signer)
  return items.every((item) => item.subject.user !== undefined && !asksFor(item, request))
}
