import type { EscalationSpec } from '../../apis/breakglass/breakglass-escalation.ts'
import type { PodSecurityOverrides } from '../../apis/breakglass/pod-security-fields.ts'

/**
 * What a session may do in spite of pod rules. Where that needs agreement, one of those who approved the session must be
 * among those who may agree, or anybody where nobody is named. `members`: of a group, by the names approvals have.
 */
export function overridesInForce(
  { podSecurityOverrides }: Pick<EscalationSpec, 'podSecurityOverrides'>,
  approvedBy: readonly string[],
  members: (group: string) => readonly string[],
): PodSecurityOverrides | undefined {
  if (!podSecurityOverrides?.enabled) return undefined
  const { requireApproval, approvers: { users = [], groups = [] } = {} } = podSecurityOverrides
  if (!requireApproval) return podSecurityOverrides
  const entitled = new Set([...users, ...groups.flatMap(members)].map((name) => name.toLowerCase()))
  const isNamed = users.length > 0 || groups.length > 0
  const isAgreed = approvedBy.some((name) => !isNamed || entitled.has(name.toLowerCase()))
  return isAgreed ? podSecurityOverrides : undefined
}
