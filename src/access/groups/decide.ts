import type { BreakglassEscalation, EscalationSpec } from '../../apis/breakglass/breakglass-escalation.ts'
import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import type { ConditionReport } from '../../core/conditions.ts'
import type { Reason } from '../../core/reason.ts'
import type { GroupAnswer } from './answers.ts'
import { mostMembers } from './contract.ts'
import { reasons } from './reasons.ts'

export const membersResolved = 'ApprovalGroupMembersResolved'

/** Whether groups are read from it. */
export const syncsGroups = ({ spec, metadata }: IdentityProvider): boolean =>
  spec?.groupSyncProvider !== undefined && !spec.disabled && !metadata?.deletionTimestamp

/** Whether people of this provider may approve under the escalation. */
export function mayApproveBy(spec: EscalationSpec, provider: string): boolean {
  const { allowedIdentityProvidersForApprovers: own = [], allowedIdentityProviders: all = [] } = spec
  const allowed = own.length > 0 ? own : all
  return allowed.length === 0 || allowed.includes(provider)
}

export const groupsOf = ({ spec }: BreakglassEscalation): readonly string[] => [
  ...new Set(spec.approvers?.groups ?? []),
]

export interface Membership {
  readonly approverGroupMembers: Record<string, string[]>
  readonly idpGroupMemberships: Record<string, Record<string, string[]>>
  /** Undefined: there is nobody to ask, or nothing to ask for. */
  readonly condition: Pick<ConditionReport, 'type' | 'status' | 'reason' | 'message'> | undefined
}

/**
 * Who is in the groups of an escalation, by all providers whose people may approve. What one of them has not said, or
 * could not say, is as the status has it.
 */
export function membershipOf(
  escalation: BreakglassEscalation,
  providers: readonly string[],
  answerOf: (provider: string, group: string) => GroupAnswer | undefined,
): Membership {
  const groups = groupsOf(escalation)
  const before = escalation.status?.idpGroupMemberships ?? {}
  const byProvider: Record<string, Record<string, string[]>> = {}
  const merged: Record<string, string[]> = {}
  const flaws = { failed: [] as string[], unknown: [] as string[], empty: [] as string[], pending: [] as string[] }
  let left: number = mostMembers.all
  let isCut = false
  for (const group of groups) {
    const answers = providers.map((provider) => ({ provider, answer: answerOf(provider, group) }))
    const all = new Set<string>()
    let isKnown = false
    let isEmpty = true
    for (const { provider, answer } of answers) {
      if (answer?.failed !== undefined) flaws.failed.push(`${provider}: ${answer.failed}`)
      if (!answer) flaws.pending.push(provider)
      const isOld = !answer || (answer.failed !== undefined && answer.members === undefined)
      const members = isOld ? before[provider]?.[group] : answer.members
      if (members === undefined) continue
      isKnown = true
      isEmpty &&= members.length === 0
      const kept = admitted(members, all, Math.min(mostMembers.group, left))
      isCut ||= kept.length < new Set(members).size
      byProvider[provider] = { ...byProvider[provider], [group]: kept }
    }
    left -= all.size
    if (isKnown) merged[group] = [...all].sort()
    if (!isKnown && answers.every(({ answer }) => answer && answer.failed === undefined)) flaws.unknown.push(group)
    if (isKnown && isEmpty) flaws.empty.push(group)
  }
  const condition = providers.length > 0 && groups.length > 0 ? conditionOf(flaws, isCut) : undefined
  return { approverGroupMembers: merged, idpGroupMemberships: byProvider, condition }
}

/** Adds to `all` as long as there is room; those of them that are in it then. */
function admitted(members: readonly string[], all: Set<string>, room: number): string[] {
  const unique = [...new Set(members)].sort()
  for (const member of unique) if (all.size < room) all.add(member)
  return unique.filter((member) => all.has(member))
}

interface Flaws {
  readonly failed: readonly string[]
  readonly unknown: readonly string[]
  readonly empty: readonly string[]
  readonly pending: readonly string[]
}

/** The gravest first. */
function conditionOf({ failed, unknown, empty, pending }: Flaws, isCut: boolean): Membership['condition'] {
  const say = (status: ConditionReport['status'], reason: Reason, message: string) => ({
    ...{ type: membersResolved, status, reason, message: message.slice(0, 1_000) },
  })
  const once = (words: readonly string[]) => [...new Set(words)].join('; ')
  if (failed.length > 0) return say('False', reasons.GroupSyncFailed, once(failed))
  if (unknown.length > 0) return say('False', reasons.GroupNotFound, `nobody knows the groups ${unknown.join(', ')}`)
  if (pending.length > 0) return say('Unknown', reasons.GroupSyncPending, `${once(pending)} has not answered yet`)
  if (empty.length > 0) return say('False', reasons.GroupMembersEmpty, `nobody is in the groups ${empty.join(', ')}`)
  const cut = isCut ? `; only ${mostMembers.group} of a group and ${mostMembers.all} in all are kept` : ''
  return say('True', reasons.GroupMembersResolved, `the members of all groups are known${cut}`)
}
