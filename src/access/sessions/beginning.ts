import type { SessionStatus } from '../../apis/breakglass/breakglass-session.ts'
import { setCondition } from '../../core/conditions.ts'
import type { Reason } from '../../core/reason.ts'
import { durationOr, formatDuration } from '../duration.ts'
import { sessionConditions } from '../names.ts'
import type { Escalation, Session } from './contract.ts'
import { noting } from './history.ts'
import { reasons } from './reasons.ts'
import { plus, stamp } from './times.ts'

export const defaults = {
  maxValidForMs: 3_600_000,
  approvalTimeoutMs: 3_600_000,
  retainForMs: 720 * 3_600_000,
  reviewWithinMs: 72 * 3_600_000,
  maxExtensions: 1,
} as const

/** The status with a condition set; `status` of the condition defaults to True. */
export function withCondition(
  status: SessionStatus,
  now: Date,
  { type, reason, message, holds = true }: { type: string; reason: Reason; message: string; holds?: boolean },
): SessionStatus {
  const report = { type, status: holds ? ('True' as const) : ('False' as const), reason, message }
  return { ...status, conditions: setCondition(status.conditions, report, now) }
}

export const approvalTimeoutMs = (escalation: Escalation | undefined): number =>
  durationOr(escalation?.spec.approvalTimeout, defaults.approvalTimeoutMs)

/** Of a session that nobody has looked at yet: it waits for approval, and has done so since then. */
export function pending(
  session: Session,
  escalation: Escalation | undefined,
  now: Date,
  since: Date = now,
): SessionStatus {
  const { metadata, spec } = session
  const status: SessionStatus = {
    ...session.status,
    observedGeneration: metadata.generation ?? 1,
    state: 'Pending',
    timeoutAt: stamp(plus(since, approvalTimeoutMs(escalation))),
  }
  const idle = { type: sessionConditions.idle, reason: reasons.WaitingForApproval, message: 'it waits for approval' }
  return noting(withCondition(status, now, idle), now, {
    transition: 'requested',
    by: spec.user,
    ...(spec.requestReason !== undefined && { reason: spec.requestReason }),
  })
}

/** Of a session that bypasses approval: it begins, and somebody has to say afterwards whether that was right. */
export function emergency(session: Session, escalation: Escalation, now: Date): SessionStatus {
  const { metadata, spec } = session
  const reviewWithinMs = durationOr(escalation.spec.emergencyBypass?.reviewWithin, defaults.reviewWithinMs)
  const most = durationOr(escalation.spec.maxValidFor, defaults.maxValidForMs)
  const validForMs = Math.min(most, durationOr(spec.maxValidFor, defaults.maxValidForMs))
  const { timeoutAt: _timeoutAt, ...kept } = session.status ?? {}
  const status: SessionStatus = {
    ...kept,
    observedGeneration: metadata.generation ?? 1,
    state: 'Approved',
    approvedAt: stamp(now),
    grantedFor: formatDuration(validForMs),
    review: { dueAt: stamp(plus(now, reviewWithinMs)) },
    ...beganAt(now, validForMs),
  }
  const active = { type: sessionConditions.active, reason: reasons.EmergencyBypass, message: 'nobody was asked first' }
  return noting(withCondition(status, now, active), now, {
    transition: 'emergency',
    by: spec.user,
    ...(spec.requestReason !== undefined && { reason: spec.requestReason }),
  })
}

/** Whole seconds before anything is added, so that what is granted lasts exactly as long as was said. */
export const beganAt = (now: Date, validForMs: number): Pick<SessionStatus, 'actualStartTime' | 'expiresAt'> => {
  const began = stamp(now)
  return { actualStartTime: began, expiresAt: stamp(plus(new Date(began), validForMs)) }
}
