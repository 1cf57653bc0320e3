import type { SessionStatus } from '../../apis/breakglass/breakglass-session.ts'
import type { SessionState } from '../../apis/breakglass/session-status-fields.ts'
import type { Reason } from '../../core/reason.ts'
import { durationOr } from '../duration.ts'
import type { Ending } from '../names.ts'
import { sessionConditions } from '../names.ts'
import { defaults, withCondition } from './beginning.ts'
import type { Session } from './contract.ts'
import type { TransitionWord } from './history.ts'
import { noting } from './history.ts'
import { reasons } from './reasons.ts'
import { isTerminal, stateOf } from './states.ts'
import { plus, stamp, timeOf } from './times.ts'

interface End {
  readonly state: SessionState
  readonly condition: string
  readonly reason: Reason
  readonly transition: TransitionWord
  readonly message: string
}

const { expired, rejected, canceled, sessionExpired } = sessionConditions
const end = (
  state: SessionState,
  condition: string,
  reason: Reason,
  transition: TransitionWord,
  message: string,
): End => ({ state, condition, reason, transition, message })

/** How each ending looks in the status. */
const ends: Readonly<Record<Ending, End>> = {
  rejected: end('Rejected', rejected, reasons.RejectedByApprover, 'rejected', 'it was refused'),
  withdrawn: end('Withdrawn', canceled, reasons.WithdrawnByRequester, 'withdrawn', 'it was taken back'),
  dropped: end('Expired', canceled, reasons.DroppedByRequester, 'dropped', 'it is needed no more'),
  canceled: end('Expired', canceled, reasons.CanceledByApprover, 'canceled', 'it was ended'),
  approvalTimeout: end('ApprovalTimeout', expired, reasons.ApprovalTimeout, 'timed-out', 'nobody approved it in time'),
  timeExpired: end('Expired', sessionExpired, reasons.ExpiredByTime, 'expired', 'its time is over'),
  idleTimeout: end('IdleExpired', sessionExpired, reasons.ExpiredByIdleness, 'idle-expired', 'nobody used it'),
  missingScheduledStartTime: end(
    ...(['Expired', expired, reasons.ScheduleMissing, 'expired', 'it has no time to begin at'] as const),
  ),
  scheduledSessionExpiredBeforeActivation: end(
    ...(['Expired', expired, reasons.ScheduleMissed, 'expired', 'its time went by before it began'] as const),
  ),
  clusterDeleted: end('Expired', expired, reasons.ExpiredByClusterDeletion, 'ended', 'its cluster left'),
  duplicateCleanup: end('Expired', expired, reasons.DuplicateSession, 'ended', 'another one of its kind lives'),
}

/** The status of a session that ends now. Its times are kept as they were; what it would have lasted longer is cut off. */
export function ending(
  session: Session,
  now: Date,
  why: Ending,
  { by, note, ...other }: { by?: string; note?: string; reason?: Reason } = {},
): SessionStatus {
  const { state, condition, reason, transition, message } = { ...ends[why], ...other }
  const { extension: _dropped, ...kept } = session.status ?? {}
  const retainForMs = durationOr(session.spec.retainFor, defaults.retainForMs)
  const began = stateOf(session) === 'Approved' || stateOf(session) === 'WaitingForScheduledTime'
  const isEarly = began && (timeOf(kept.expiresAt)?.getTime() ?? 0) > now.getTime()
  const ended: SessionStatus = {
    ...kept,
    observedGeneration: session.metadata.generation ?? 1,
    state,
    reasonEnded: why,
    retainedUntil: stamp(plus(now, retainForMs)),
    ...(isEarly && { expiresAt: stamp(now) }),
  }
  const said = note ?? (transition === 'ended' || transition === 'expired' ? why : undefined)
  return noting(withCondition(notActive(ended, now, reason), now, { type: condition, reason, message }), now, {
    transition,
    ...(by !== undefined && { by }),
    ...(said !== undefined && { reason: said }),
  })
}

const notActive = (status: SessionStatus, now: Date, reason: Reason): SessionStatus =>
  (status.conditions ?? []).some(({ type }) => type === sessionConditions.active)
    ? withCondition(status, now, { type: sessionConditions.active, reason, message: 'it ended', holds: false })
    : status

/** As it comes back from a backup: it may have been taken away since, so none is in force or waits. */
export const endedByRestore = (session: Session, now: Date): Session =>
  isTerminal(stateOf(session))
    ? session
    : {
        ...session,
        status: ending(session, now, 'canceled', {
          reason: reasons.EndedByRestore,
          note: 'a backup was restored in which it had not ended',
        }),
      }
