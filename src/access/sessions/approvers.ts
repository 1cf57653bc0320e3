import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { Failure } from '../../core/failure.ts'
import type { Stored } from '../../kube/objects.ts'
import type { Person } from '../people/contract.ts'
import type { ActionFacts, Escalation, Session } from './contract.ts'
import { failures } from './failures.ts'
import { approversProviders, escalationsOf, isAmong, quorumOf, withoutPrefix } from './matching.ts'
import { isMadeByHand, isSameName, mayBeRequester } from './persons.ts'

export type DenialReason =
  | 'SELF_APPROVAL_BLOCKED'
  | 'DOMAIN_NOT_ALLOWED'
  | 'IDP_NOT_ALLOWED'
  | 'NOT_AN_APPROVER'
  | 'NO_MATCHING_ESCALATION'
  | 'CLUSTER_APPROVAL_POLICY_AMBIGUOUS'

export type MayApprove =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly denialReason: DenialReason; readonly failure: Failure }

/** In the order in which they are told where escalations differ in why they refuse. */
const denials = {
  SELF_APPROVAL_BLOCKED: failures.ACCESS_SELF_APPROVAL_BLOCKED,
  DOMAIN_NOT_ALLOWED: failures.ACCESS_DOMAIN_NOT_ALLOWED,
  IDP_NOT_ALLOWED: failures.ACCESS_APPROVER_PROVIDER,
  NOT_AN_APPROVER: failures.ACCESS_NOT_AN_APPROVER,
  NO_MATCHING_ESCALATION: failures.ACCESS_NO_MATCHING_ESCALATION,
  CLUSTER_APPROVAL_POLICY_AMBIGUOUS: failures.ACCESS_APPROVAL_AMBIGUOUS,
} satisfies Record<DenialReason, () => Failure>

const denied = (denialReason: DenialReason): MayApprove => ({
  allowed: false,
  denialReason,
  failure: denials[denialReason](),
})

const reasonByCode = new Map(
  Object.entries(denials).map(([reason, make]) => [make().code, reason as DenialReason] as const),
)

/** Why somebody may not decide on a session, where that is what the failure says. */
export const denialReasonOf = ({ code }: Failure): DenialReason | undefined => reasonByCode.get(code)

export type ApprovalFacts = Pick<ActionFacts, 'escalations' | 'clusters' | 'oidcPrefixes'>

/** Whether a person may decide on a session. Says nothing of the session itself: asked before its state is shown. */
export function mayApprove(session: Session, person: Person, facts: ApprovalFacts): MayApprove {
  if (facts.clusters.length > 1) return denied('CLUSTER_APPROVAL_POLICY_AMBIGUOUS')
  const [cluster] = facts.clusters
  const verdicts = escalationsOf(session, facts.escalations).map((escalation) =>
    verdictOf(session, person, escalation, cluster, facts.oidcPrefixes),
  )
  if (verdicts.includes('allowed')) return { allowed: true }
  // A provider that one escalation takes is no longer the hindrance.
  const isProviderTaken = verdicts.includes('NOT_AN_APPROVER')
  const told = (Object.keys(denials) as DenialReason[]).filter(
    (reason) => reason !== 'IDP_NOT_ALLOWED' || !isProviderTaken,
  )
  return denied(told.find((reason) => verdicts.includes(reason)) ?? 'NO_MATCHING_ESCALATION')
}

function verdictOf(
  session: Session,
  person: Person,
  escalation: Escalation,
  cluster: Stored<ClusterConfig> | undefined,
  prefixes: readonly string[] | undefined,
): 'allowed' | DenialReason {
  // Of one that was made by hand nobody proved who asked.
  const isBlocked = isMadeByHand(session) || effectiveSelfApprovalBlock(session, escalation, cluster)
  if (isBlocked && mayBeRequester(session, person, prefixes)) return 'SELF_APPROVAL_BLOCKED'
  if (!isOfDomain(person, approverDomains(escalation, cluster))) return 'DOMAIN_NOT_ALLOWED'
  if (!isAmong(approversProviders(escalation), person.identityProvider)) return 'IDP_NOT_ALLOWED'
  return isApprover(person, escalation, person.amongProviders?.groupPrefixes ?? prefixes)
    ? 'allowed'
    : 'NOT_AN_APPROVER'
}

/**
 * Whether whoever asked is kept from deciding. The escalation overrules the cluster, either way. Where several must
 * approve they never count, so there they are kept from it whatever is set.
 */
export const effectiveSelfApprovalBlock = (
  session: Pick<Session, 'spec'>,
  escalation: Pick<Escalation, 'spec'>,
  cluster: Pick<ClusterConfig, 'spec'> | undefined,
): boolean =>
  quorumOf(session, [escalation]) > 1 || (escalation.spec.blockSelfApproval ?? cluster?.spec.blockSelfApproval ?? false)

/** Empty: any. */
const approverDomains = ({ spec }: Escalation, cluster: ClusterConfig | undefined): readonly string[] =>
  spec.allowedApproverDomains?.length ? spec.allowedApproverDomains : (cluster?.spec.allowedApproverDomains ?? [])

/** With the @, so that evilcorp.de is not taken for corp.de. */
const isOfDomain = ({ email }: Person, domains: readonly string[]): boolean =>
  domains.length === 0 || domains.some((domain) => email?.toLowerCase().endsWith(`@${domain.toLowerCase()}`))

/**
 * By the mail address alone, never by a user name: those people choose themselves. Of a group whose members are known
 * from identity providers only they count, each as a user of the provider that said so: the same address at another one
 * may be somebody else's. Of the other groups the token tells.
 */
function isApprover(person: Person, { spec, status }: Escalation, prefixes: readonly string[] | undefined): boolean {
  const { email } = person
  if (email !== undefined && email !== '' && spec.approvers?.users?.includes(email)) return true
  const known = new Map(Object.entries(status?.approverGroupMembers ?? {}))
  const byProvider = status?.idpGroupMemberships && new Map(Object.entries(status.idpGroupMemberships))
  const theirs = new Map(Object.entries(byProvider?.get(person.identityProvider) ?? {}))
  const own = new Set(person.groups.map((group) => withoutPrefix(group, prefixes)))
  return (spec.approvers?.groups ?? []).some((group) => {
    const isKnown = known.has(group) || [...(byProvider?.values() ?? [])].some((groups) => Object.hasOwn(groups, group))
    const members = isKnown ? ((byProvider ? theirs : known).get(group) ?? []) : undefined
    if (members) return email !== undefined && members.some((member) => isSameName(member, email))
    return own.has(withoutPrefix(group, prefixes))
  })
}
