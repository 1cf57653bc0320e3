import type { SessionState } from '../../apis/breakglass/session-status-fields.ts'
import type { Session } from '../sessions/index.ts'
import type { Sight } from './sight.ts'

/** What the caller may do with a session now, for whoever shows buttons. */
export interface ApprovalMeta {
  readonly canApprove: boolean
  readonly canReject: boolean
  readonly isRequester: boolean
  readonly isApprover: boolean
  readonly denialReason?: string
  readonly sessionState: SessionState
  readonly stateMessage: string
}

export function approvalMetaOf(session: Session, sight: Sight, state: SessionState): ApprovalMeta {
  const { isRequester, approval } = sight
  const isOpen = state === 'Pending' || (state === 'Approved' && session.status?.extension !== undefined)
  return {
    canApprove: approval.allowed && isOpen,
    canReject: (approval.allowed && isOpen) || (isRequester && state === 'Pending'),
    isRequester,
    isApprover: approval.allowed,
    ...(!approval.allowed && { denialReason: approval.denialReason }),
    sessionState: state,
    stateMessage: messages[state](session),
  }
}

const messages: Readonly<Record<SessionState, (session: Session) => string>> = {
  Pending: ({ spec, status }) =>
    (spec.minApprovals ?? 1) > 1
      ? `${status?.approvals?.length ?? 0} of ${spec.minApprovals} approvals are there`
      : 'it waits for approval',
  Approved: ({ status }) =>
    status?.extension ? 'it is approved, and more time is asked for' : `it is approved until ${status?.expiresAt}`,
  WaitingForScheduledTime: ({ spec }) => `it is approved and begins at ${spec.scheduledStartTime}`,
  Rejected: () => 'it was rejected',
  Withdrawn: () => 'whoever asked took it back',
  ApprovalTimeout: () => 'nobody approved it in time',
  Expired: ({ status }) => `it is over${status?.reasonEnded ? ` (${status.reasonEnded})` : ''}`,
  IdleExpired: () => 'it was not used for too long',
}
