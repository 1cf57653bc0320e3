/** What is taken, and yet worth a word to whoever writes it. Short: API servers cut warnings after 256 characters. */
import type { EscalationSpec } from '../../apis/breakglass/breakglass-escalation.ts'
import type { KnownObjects } from './escalation-refs.ts'
import { allowsSelfApproval } from './escalation-rights.ts'

export function escalationWarnings(spec: EscalationSpec, known: Pick<KnownObjects, 'blocksSelfApproval'>): string[] {
  const { allowed, clusterConfigRefs = [], approvers = {} } = spec
  const warnings: string[] = []
  if ((allowed.clusters ?? []).length + clusterConfigRefs.length === 0)
    warnings.push('spec.allowed.clusters: names no cluster, so it holds for none; * is all')
  if ((allowed.groups ?? []).length === 0) warnings.push('spec.allowed.groups: names no group, so nobody can ask')
  const named = [...(approvers.users ?? []), ...(approvers.groups ?? [])]
  for (const [index, hidden] of (approvers.hiddenFromUI ?? []).entries())
    if (!named.includes(hidden))
      warnings.push(
        `spec.approvers.hiddenFromUI[${index}]: ${hidden} is no approver; list it among users or groups too`,
      )
  if (spec.emergencyBypass?.enabled && spec.requestReason?.mandatory !== true)
    warnings.push(
      'spec.emergencyBypass.enabled: whoever goes without approval must say why, whatever requestReason says',
    )
  if (allowsSelfApproval(spec, known.blocksSelfApproval))
    warnings.push(
      'spec.blockSelfApproval: is not true, so who may ask and is an approver too approves their own request',
    )
  return warnings
}
