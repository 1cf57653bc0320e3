import type { AuditType } from '../audit/contract.ts'
import type { Notice } from './contract.ts'

interface Telling {
  readonly type: AuditType
  /** Who gets a letter about it. */
  readonly audience: Notice['audience']
}

/** What each entry of a history is to the audit, and to people. Who did it themselves is not written to. */
const tellings: Readonly<Record<string, Telling>> = {
  requested: { type: 'session.requested', audience: 'approvers' },
  'approval-recorded': { type: 'session.approval_recorded', audience: 'nobody' },
  approved: { type: 'session.approved', audience: 'requester' },
  scheduled: { type: 'session.approved', audience: 'requester' },
  activated: { type: 'session.activated', audience: 'requester' },
  rejected: { type: 'session.denied', audience: 'requester' },
  withdrawn: { type: 'session.withdrawn', audience: 'nobody' },
  dropped: { type: 'session.dropped', audience: 'nobody' },
  canceled: { type: 'session.revoked', audience: 'requester' },
  'timed-out': { type: 'session.expired', audience: 'requester' },
  expired: { type: 'session.expired', audience: 'requester' },
  'idle-expired': { type: 'session.expired', audience: 'requester' },
  ended: { type: 'session.expired', audience: 'requester' },
  'extension-requested': { type: 'session.extension_requested', audience: 'approvers' },
  'extension-rejected': { type: 'session.extension_denied', audience: 'requester' },
  'extension-timed-out': { type: 'session.extension_denied', audience: 'requester' },
  extended: { type: 'session.extended', audience: 'requester' },
  emergency: { type: 'session.emergency', audience: 'approvers' },
  reviewed: { type: 'session.reviewed', audience: 'requester' },
  'review-overdue': { type: 'session.review_overdue', audience: 'approvers' },
}

const anythingElse: Telling = { type: 'session.changed', audience: 'nobody' }

export const tellingOf = (transition: string): Telling => tellings[transition] ?? anythingElse

/** Access that nobody approved: every approver is told, whoever else wants no mail. */
export const isAlarm = (transition: string): boolean => transition === 'emergency' || transition === 'review-overdue'
