import type { SessionStatus } from '../../apis/breakglass/breakglass-session.ts'
import type { SessionApproval } from '../../apis/breakglass/session-status-fields.ts'
import type { Failure } from '../../core/failure.ts'
import { durationOr, formatDuration } from '../duration.ts'
import { sessionConditions } from '../names.ts'
import type { Person } from '../people/contract.ts'
import { beganAt, defaults, withCondition } from './beginning.ts'
import type { Action, Escalation, Session } from './contract.ts'
import { failures } from './failures.ts'
import { noting } from './history.ts'
import { quorumOf } from './matching.ts'
import { approverOf, isSameName } from './persons.ts'
import { reasons } from './reasons.ts'
import { plus, stamp, timeOf } from './times.ts'
import { leastSeconds, whyNotReason } from './words-given.ts'

export type Approve = Extract<Action, { do: 'approve' }>

/** What is wrong with an approval in itself: of a session or of more time, of which `askedMs` was asked for. */
export function whyNotApproval(
  session: Session,
  given: readonly SessionApproval[],
  { by, reason, seconds }: Approve,
  askedMs: number,
): Failure | undefined {
  if (given.some((approval) => isBy(approval, by))) return failures.ACCESS_APPROVED_BY_YOU()
  if (seconds !== undefined && seconds * 1_000 > askedMs)
    return failures.ACCESS_TOO_LONG({ most: formatDuration(askedMs), asked: formatDuration(seconds * 1_000) })
  if (seconds !== undefined && !(seconds >= leastSeconds))
    return failures.ACCESS_TOO_SHORT({ least: leastSeconds, seconds })
  return whyNotReason(reason, session.spec.approvalReasonConfig)
}

/** A person is one person under every name, and a name is one person wherever it is from. */
const isBy = ({ approver, identityProvider, subject }: SessionApproval, by: Person): boolean =>
  isSameName(approver, approverOf(by)) ||
  (by.claimedEmail !== undefined && isSameName(approver, by.claimedEmail)) ||
  (subject !== undefined && subject === by.subject && identityProvider === by.identityProvider)

export const approvalBy = ({ by, reason, seconds }: Approve, now: Date): SessionApproval => ({
  approver: approverOf(by),
  at: stamp(now),
  ...(reason !== undefined && reason !== '' && { reason }),
  ...(seconds !== undefined && { validFor: formatDuration(seconds * 1_000) }),
  identityProvider: by.identityProvider,
  ...(by.subject !== undefined && { subject: by.subject }),
})

/** The least that anybody agreed to. */
export const agreedMs = (approvals: readonly SessionApproval[], askedMs: number): number =>
  Math.min(askedMs, ...approvals.map(({ validFor }) => durationOr(validFor, askedMs)))

export const isEnough = (
  session: Session,
  approvals: readonly SessionApproval[],
  escalations: readonly Escalation[],
): boolean => approvals.length >= quorumOf(session, escalations)

/** What was asked for, and no more than may be asked for: what was made by hand has no say in it alone. */
export const mostValidMs = ({ spec }: Session, escalations: readonly Escalation[]): number =>
  Math.min(
    durationOr(spec.maxValidFor, defaults.maxValidForMs),
    Math.max(0, ...escalations.map((one) => durationOr(one.spec.maxValidFor, defaults.maxValidForMs))),
  )

export const noteOf = ({ by, reason }: { by: Approve['by']; reason?: string }) => ({
  by: approverOf(by),
  ...(reason !== undefined && { reason }),
})

/** A session that waits, with one more approval: it goes on waiting, begins, or begins later. */
export function approving(
  session: Session,
  action: Approve,
  escalations: readonly Escalation[],
  now: Date,
): SessionStatus | Failure {
  const { status = {} } = session
  const askedMs = mostValidMs(session, escalations)
  const wrong = whyNotApproval(session, status.approvals ?? [], action, askedMs)
  if (wrong) return wrong
  const approvals = [...(status.approvals ?? []), approvalBy(action, now)]
  const recorded: SessionStatus = {
    ...status,
    approver: approverOf(action.by),
    approvers: approvals.map(({ approver }) => approver),
    approvals,
    ...(action.reason !== undefined && action.reason !== '' && { approvalReason: action.reason }),
  }
  if (!isEnough(session, approvals, escalations))
    return noting(recorded, now, { transition: 'approval-recorded', ...noteOf(action) })
  return approved(session, recorded, action, now, agreedMs(approvals, askedMs))
}

function approved(
  { metadata, spec }: Session,
  recorded: SessionStatus,
  action: Approve,
  now: Date,
  validForMs: number,
): SessionStatus | Failure {
  const { rejectedAt: _rejectedAt, timeoutAt: _timeoutAt, ...kept } = recorded
  const startsAt = timeOf(spec.scheduledStartTime)
  if (startsAt && plus(startsAt, validForMs) <= now)
    return failures.ACCESS_WRONG_STATE({ state: 'past the time it was asked for', needed: 'a time that is not over' })
  const status: SessionStatus = {
    ...kept,
    observedGeneration: metadata.generation ?? 1,
    approvedAt: stamp(now),
    grantedFor: formatDuration(validForMs),
    ...(startsAt
      ? { state: 'WaitingForScheduledTime', expiresAt: stamp(plus(startsAt, validForMs)) }
      : { state: 'Approved', ...beganAt(now, validForMs) }),
  }
  const { approved: type, active, idle } = sessionConditions
  const because = { reason: reasons.ApprovedByApprovers, message: 'enough have approved' }
  const withApproval = withCondition(withCondition(status, now, { type: idle, ...because, holds: false }), now, {
    type,
    ...because,
  })
  const activity = startsAt
    ? { type: active, holds: false, reason: reasons.WaitingForSchedule, message: 'it begins later' }
    : { type: active, ...because }
  const transition = startsAt ? 'scheduled' : 'approved'
  return noting(withCondition(withApproval, now, activity), now, { transition, ...noteOf(action) })
}
