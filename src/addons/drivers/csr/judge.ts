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
import { isOwnGroup, isOwnSubject, isOwnUser, isReservedSubject } from './own-subjects.ts'
import type { AddonRequest } from './read-request.ts'
import { reasons } from './reasons.ts'
import { certificateSubject } from './subject.ts'

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

/**
 * Whether a request asks for what an item is for. Agents fill in differently what a registration leaves open: ours with
 * the name and the group of the add-on, OCM's with its own agent's name and, for a custom signer, without any
 * organization. Any of it will do that cannot be more than the add-on.
 */
const asksFor = (item: RegistrationItem, request: AddonRequest): boolean =>
  !contradicts(item, request) && fillsInItsOwn(item, request)

const fillsInItsOwn = (item: RegistrationItem, { subject }: AddonRequest): boolean =>
  (item.subject.user !== undefined || isOwnUser(item, subject.commonName)) &&
  (item.subject.groups !== undefined || subject.organizations.every((group) => isOwnGroup(item, group))) &&
  (item.subject.organizationUnits !== undefined || subject.organizationalUnits.length === 0)

/** Whether a request says something else than an item does, where that says anything. */
function contradicts({ subject: said }: RegistrationItem, { subject }: AddonRequest): boolean {
  const { user = subject.commonName, groups = subject.organizations } = said
  const { organizationUnits = subject.organizationalUnits } = said
  return !isSameSubject(subject, certificateSubject({ user, groups, organizationUnits }))
}

export const isRegistered = (addon: Stored<ManagedClusterAddOn>, request: AddonRequest): boolean =>
  itemsFor(addon, request.signer).some((item) => asksFor(item, request))

/**
 * Whether every registration says something else than a request. What one leaves open, an agent of another make may fill
 * in as it likes: a request that was removed for that would be made again, without end.
 */
export const isUnwanted = (addon: Stored<ManagedClusterAddOn> | undefined, request: AddonRequest): boolean =>
  !addon || itemsFor(addon, request.signer).every((item) => contradicts(item, request))
