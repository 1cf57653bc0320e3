import type { SessionStatus } from '../../apis/breakglass/breakglass-session.ts'
import { sessionConditions } from '../names.ts'
import { pending, withCondition } from './beginning.ts'
import type { ActionFacts, Session } from './contract.ts'
import { ending } from './ending.ts'
import { waitingExtension, withoutExtension } from './extending.ts'
import { noting } from './history.ts'
import { escalationsOf } from './matching.ts'
import { reasons } from './reasons.ts'
import { endOf, standingOf } from './standing.ts'
import { isTerminal, stateOf } from './states.ts'
import { earliest, stamp, timeOf } from './times.ts'

/** What the clock does to a session: all that is due by now, in one write. Undefined: nothing. */
export function elapsing(session: Session, facts: ActionFacts): SessionStatus | undefined {
  const changed = turnOfState(session, facts)
  return overdue(changed ? { ...session, status: changed } : session, facts.now) ?? changed
}

const longAgo = new Date(0)

/** When `elapsing` next has something to do; a time that has passed: now. Undefined: never. */
export function dueAt(session: Session, lastActivity?: Date): Date | undefined {
  const { metadata, spec, status } = session
  if (metadata.deletionTimestamp !== undefined) return undefined
  const reviewDue = isReviewOpen(session) && !isToldOverdue(session) ? timeOf(status?.review?.dueAt) : undefined
  switch (stateOf(session)) {
    case '':
      return longAgo
    case 'Pending':
      return earliest(timeOf(status?.timeoutAt), reviewDue)
    case 'WaitingForScheduledTime':
      return timeOf(spec.scheduledStartTime) ?? longAgo
    case 'Approved':
      return earliest(
        timeOf(status?.expiresAt) ?? longAgo,
        endOf(session, lastActivity)?.at,
        timeOf(status?.extension?.timeoutAt),
        reviewDue,
      )
    default:
      return reviewDue
  }
}

function turnOfState(session: Session, facts: ActionFacts): SessionStatus | undefined {
  const { now, lastActivity } = facts
  const state = stateOf(session)
  if (isTerminal(state)) return undefined
  if (state === '') {
    const [escalation] = escalationsOf(session, facts.escalations)
    return pending(session, escalation, now, timeOf(session.metadata.creationTimestamp))
  }
  const standing = standingOf(session, now, lastActivity)
  if (!standing.live) return standing.ending && ending(withActivity(session, lastActivity), now, standing.ending)
  if (state === 'WaitingForScheduledTime')
    return standing.until && now >= standing.until ? activated(session, now) : undefined
  if (session.status?.extension && !waitingExtension(session, now))
    return withoutExtension(session, now, { transition: 'extension-timed-out' })
  return undefined
}

function activated(session: Session, now: Date): SessionStatus {
  const { active, scheduledStartTimeReached } = sessionConditions
  const because = { reason: reasons.ScheduledStartTimeReached, message: 'its time has come' }
  const began: SessionStatus = { ...session.status, state: 'Approved', actualStartTime: stamp(now) }
  const reached = withCondition(began, now, { type: scheduledStartTimeReached, ...because })
  return noting(withCondition(reached, now, { type: active, ...because }), now, { transition: 'activated' })
}

/** On record with the end: what was known when it was decided. */
function withActivity(session: Session, lastActivity: Date | undefined): Session {
  const written = timeOf(session.status?.lastActivity)
  if (!lastActivity || (written && written >= lastActivity)) return session
  return { ...session, status: { ...session.status, lastActivity: stamp(lastActivity) } }
}

/** Whether somebody still has to say what they think of access that nobody approved. */
export const isReviewOpen = ({ status }: Session): boolean =>
  status?.review !== undefined && status.review.reviewedAt === undefined

export const isReviewOverdue = (session: Session, now: Date): boolean => {
  const due = timeOf(session.status?.review?.dueAt)
  return isReviewOpen(session) && due !== undefined && now >= due
}

const isToldOverdue = ({ status }: Session): boolean =>
  (status?.history ?? []).some(({ transition }) => transition === 'review-overdue')

const overdue = (session: Session, now: Date): SessionStatus | undefined =>
  isReviewOverdue(session, now) && !isToldOverdue(session)
    ? noting(session.status ?? {}, now, { transition: 'review-overdue' })
    : undefined
