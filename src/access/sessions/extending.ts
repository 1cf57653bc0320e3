import type { SessionStatus } from '../../apis/breakglass/breakglass-session.ts'
import type { SessionExtension } from '../../apis/breakglass/session-status-fields.ts'
import type { Failure } from '../../core/failure.ts'
import { durationOr, formatDuration } from '../duration.ts'
import type { Approve } from './approving.ts'
import { agreedMs, approvalBy, isEnough, noteOf, whyNotApproval } from './approving.ts'
import { approvalTimeoutMs, defaults } from './beginning.ts'
import type { Action, Escalation, Session } from './contract.ts'
import { failures } from './failures.ts'
import { noting } from './history.ts'
import { earliest, latest, plus, stamp, timeOf } from './times.ts'
import { leastSeconds, whyNotReason } from './words-given.ts'

/** What is waiting for approval on a running session, if anything still is. */
export function waitingExtension({ status }: Session, now: Date): SessionExtension | undefined {
  const timeoutAt = timeOf(status?.extension?.timeoutAt)
  return timeoutAt && now < timeoutAt ? status?.extension : undefined
}

/** The last moment that a session may be extended to: as long after its approval, or its start, as any may last. */
export function latestEnd({ spec, status }: Session, escalation: Escalation | undefined): Date | undefined {
  const since = latest(timeOf(status?.approvedAt) ?? timeOf(status?.actualStartTime), timeOf(spec.scheduledStartTime))
  return since && escalation && plus(since, durationOr(escalation.spec.maxValidFor, defaults.maxValidForMs))
}

/** Asks for more time. What was granted holds until it is decided on, and after that where it is refused. */
export function extending(
  session: Session,
  { by, seconds, reason }: Extract<Action, { do: 'extend' }>,
  escalation: Escalation | undefined,
  now: Date,
): SessionStatus | Failure {
  const { spec, status = {} } = session
  if (waitingExtension(session, now)) return failures.ACCESS_EXTENSION_WAITING()
  const most = escalation?.spec.maxExtensions ?? defaults.maxExtensions
  if ((status.extensions ?? 0) + takenBack(status) >= most) return failures.ACCESS_EXTENSIONS_USED_UP({ most })
  if (!(seconds >= leastSeconds)) return failures.ACCESS_TOO_SHORT({ least: leastSeconds, seconds })
  const until = extendedEnd(session, seconds * 1_000)
  const limit = latestEnd(session, escalation)
  if (!until || !limit) return failures.ACCESS_NO_MATCHING_ESCALATION()
  if (until > limit) return failures.ACCESS_EXTENDED_TOO_FAR({ latest: stamp(limit), asked: stamp(until) })
  const wrong = whyNotReason(reason, spec.requestReasonConfig)
  if (wrong) return wrong
  const timeoutAt = earliest(plus(now, approvalTimeoutMs(escalation)), timeOf(status.expiresAt)) ?? now
  const extension: SessionExtension = {
    requestedAt: stamp(now),
    requestedFor: formatDuration(seconds * 1_000),
    ...(reason !== undefined && reason !== '' && { reason }),
    timeoutAt: stamp(timeoutAt),
    approvals: [],
  }
  const note = noteOf({ by, ...(reason !== undefined && { reason }) })
  return noting({ ...status, extension }, now, { transition: 'extension-requested', ...note })
}

/** What whoever asked for it refused themselves is used up too: otherwise they fill the record as they like. */
const takenBack = ({ history = [] }: SessionStatus): number =>
  history.filter(({ transition, by }, index) => {
    const before = history[index - 1]
    return transition === 'extension-rejected' && before?.transition === 'extension-requested' && before.by === by
  }).length

/** One more approval of more time. */
export function approvingExtension(
  session: Session,
  extension: SessionExtension,
  action: Approve,
  escalations: readonly Escalation[],
  now: Date,
): SessionStatus | Failure {
  const askedMs = durationOr(extension.requestedFor, 0)
  const wrong = whyNotApproval(session, extension.approvals, action, askedMs)
  if (wrong) return wrong
  const approvals = [...extension.approvals, approvalBy(action, now)]
  const status = session.status ?? {}
  if (!isEnough(session, approvals, escalations)) {
    const recorded = { ...status, extension: { ...extension, approvals } }
    return noting(recorded, now, { transition: 'approval-recorded', ...noteOf(action) })
  }
  const until = extendedEnd(session, agreedMs(approvals, askedMs))
  const limit = latestEnd(session, escalations[0])
  if (!until || !limit) return failures.ACCESS_NO_MATCHING_ESCALATION()
  // The escalation may have changed since it was asked for.
  if (until > limit) return failures.ACCESS_EXTENDED_TOO_FAR({ latest: stamp(limit), asked: stamp(until) })
  const { extension: _granted, ...kept } = status
  const extended = { ...kept, expiresAt: stamp(until), extensions: (status.extensions ?? 0) + 1 }
  return noting(extended, now, { transition: 'extended', ...noteOf(action) })
}

/** More time was refused, or nobody decided on it. The session goes on as it was. */
export function withoutExtension(
  session: Session,
  now: Date,
  note: { transition: 'extension-rejected' | 'extension-timed-out'; by?: string; reason?: string },
): SessionStatus {
  const { extension: _refused, ...kept } = session.status ?? {}
  return noting(kept, now, note)
}

const extendedEnd = ({ status }: Session, ms: number): Date | undefined => {
  const expiresAt = timeOf(status?.expiresAt)
  return expiresAt && plus(expiresAt, ms)
}
