import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import type { SessionHistoryEntry } from '../../apis/breakglass/session-status-fields.ts'
import type { Escalation, Session } from '../sessions/contract.ts'
import type { AccessSettings } from '../settings.ts'
import { tellingId } from './audit-event.ts'
import type { Notice, Recipient } from './contract.ts'
import { approverRecipients, isExcluded, requesterAddress } from './recipients.ts'
import { isAlarm, tellingOf } from './transitions.ts'

export interface NoticeFacts {
  readonly escalation: Escalation | undefined
  readonly cluster: ClusterConfig | undefined
  readonly settings: Pick<AccessSettings, 'frontendUrl'>
  readonly isOnlyProvider: boolean
}

/** What people are told of an entry in the history of a session. */
export function noticeOf(session: Session, entry: SessionHistoryEntry, facts: NoticeFacts): Notice {
  const { spec, status, metadata } = session
  const audience = audienceOf(session, entry)
  const { name } = metadata
  const toApprovers = audience === 'approvers'
  const base = facts.settings.frontendUrl?.replace(/\/+$/, '')
  return {
    id: tellingId(session, entry),
    transition: entry.transition,
    at: entry.at,
    ...(entry.by !== undefined && { by: entry.by }),
    ...(entry.reason !== undefined && { reason: entry.reason }),
    session: {
      namespace: metadata.namespace ?? '',
      name,
      cluster: spec.cluster,
      user: spec.user,
      group: spec.grantedGroup,
      state: status?.state ?? '',
      ...(spec.requestReason !== undefined && { requestReason: spec.requestReason }),
      ...(status?.expiresAt !== undefined && { expiresAt: status.expiresAt }),
      ...(spec.scheduledStartTime !== undefined && { scheduledStartTime: spec.scheduledStartTime }),
      ...(status?.review && { reviewDueAt: status.review.dueAt }),
    },
    audience,
    recipients: recipientsOf(session, entry, audience, facts),
    ...(toApprovers && { command: `lanyard access ${isAlarm(entry.transition) ? 'review' : 'approve'} ${name}` }),
    ...(base !== undefined && { link: `${base}/session/${encodeURIComponent(name)}${toApprovers ? '/approve' : ''}` }),
  }
}

/** That a session began is told by its approval, unless it began later than that. */
function audienceOf({ status, spec }: Session, { transition, at, by }: SessionHistoryEntry): Notice['audience'] {
  const isToldAlready =
    transition === 'activated' &&
    status?.history?.some((other) => ['approved', 'emergency'].includes(other.transition) && other.at === at)
  const isOwnDoing = tellingOf(transition).audience === 'requester' && by !== undefined && by === spec.user
  return isToldAlready || isOwnDoing ? 'nobody' : tellingOf(transition).audience
}

function recipientsOf(
  { spec }: Session,
  { transition }: SessionHistoryEntry,
  audience: Notice['audience'],
  { escalation, cluster, isOnlyProvider }: NoticeFacts,
): Recipient[] {
  const requester = requesterAddress(spec, { isOnlyProvider })
  if (audience === 'requester') {
    const isWanted =
      requester !== undefined && !(escalation && isExcluded(requester, escalation.spec, escalation.status))
    return isWanted ? [{ address: requester, groups: [] }] : []
  }
  const alarm = isAlarm(transition)
  if (audience === 'nobody' || !escalation || (escalation.spec.disableNotifications && !alarm)) return []
  const clusterDomains = cluster?.spec.allowedApproverDomains ?? []
  return approverRecipients(
    { spec: escalation.spec, status: escalation.status, clusterDomains },
    { out: requester, alarm },
  )
}
