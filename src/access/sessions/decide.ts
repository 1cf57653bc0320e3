import type { SessionStatus } from '../../apis/breakglass/breakglass-session.ts'
import { Failure } from '../../core/failure.ts'
import { mayApprove } from './approvers.ts'
import { approving, noteOf } from './approving.ts'
import type { Action, ActionFacts, Decide, Session, Transition } from './contract.ts'
import { elapsing, isReviewOpen } from './elapsing.ts'
import { ending } from './ending.ts'
import { approvingExtension, extending, waitingExtension, withoutExtension } from './extending.ts'
import { failures } from './failures.ts'
import { isRecordFull, noting } from './history.ts'
import { escalationsInForce, escalationsOf } from './matching.ts'
import { approverOf, isRequester, mayBeRequester } from './persons.ts'
import { reasons } from './reasons.ts'
import { standingOf } from './standing.ts'
import { isTerminal, stateOf } from './states.ts'
import { stamp } from './times.ts'
import { whyNotReason } from './words-given.ts'

type Do<Name extends Action['do']> = Extract<Action, { do: Name }>

/** What becomes of a session when somebody does something to it, or time goes by. Who may is looked at before what is. */
export const decide: Decide = (session, action, facts) => {
  switch (action.do) {
    case 'elapse':
      return { status: elapsing(session, facts) }
    case 'end':
      return { status: mayEnd(session, action) ? ending(session, facts.now, action.why) : undefined }
    case 'delete':
      return { status: isTerminal(stateOf(session)) ? undefined : deleted(session, facts.now) }
    default:
      return transitionOf(person(session, action, facts))
  }
}

const mayEnd = (session: Session, action: Do<'end'>): boolean =>
  !isTerminal(stateOf(session)) &&
  (action.why !== 'duplicateCleanup' || action.seen === session.metadata.resourceVersion)

const deleted = (session: Session, now: Date): SessionStatus =>
  ending(session, now, 'canceled', { note: 'its object was deleted', reason: reasons.CanceledByDeletion })

const transitionOf = (outcome: SessionStatus | Failure): Transition =>
  outcome instanceof Failure ? { refused: outcome } : { status: outcome }

function person(
  session: Session,
  action: Exclude<Action, { do: 'elapse' | 'end' | 'delete' }>,
  facts: ActionFacts,
): SessionStatus | Failure {
  // Nothing is done that could not be told: what was told to nobody is not cut from the record to make room.
  if (isRecordFull(session.status ?? {})) return failures.ACCESS_RECORD_FULL()
  switch (action.do) {
    case 'approve':
      return approve(session, action, facts)
    case 'reject':
      return reject(session, action, facts)
    case 'cancel':
      return cancel(session, action, facts)
    case 'review':
      return review(session, action, facts)
    case 'withdraw':
    case 'drop':
      return leave(session, action, facts)
    case 'extend':
      return extend(session, action, facts)
  }
}

function approve(session: Session, action: Do<'approve'>, facts: ActionFacts): SessionStatus | Failure {
  const { now } = facts
  const escalations = escalationsInForce(session, facts.escalations)
  const verdict = mayApprove(session, action.by, { ...facts, escalations })
  if (!verdict.allowed) return verdict.failure
  if (facts.clusters.length === 0) return failures.ACCESS_CLUSTER_UNKNOWN({ cluster: session.spec.cluster })
  const extension = isRunning(session, facts) ? waitingExtension(session, now) : undefined
  if (extension) return approvingExtension(session, extension, action, escalations, now)
  const state = stateOf(session)
  if ((state === 'Approved' || state === 'WaitingForScheduledTime') && isAlive(session, facts))
    return failures.ACCESS_ALREADY_APPROVED()
  return whyNotIn(session, ['Pending'], facts) ?? approving(session, action, escalations, now)
}

function reject(session: Session, action: Do<'reject'>, facts: ActionFacts): SessionStatus | Failure {
  const { by, reason } = action
  const { now } = facts
  const verdict = mayApprove(session, by, facts)
  const isOwn = isRequester(session, by)
  if (!verdict.allowed && !isOwn) return verdict.failure
  const isExtension = isRunning(session, facts) && waitingExtension(session, now) !== undefined
  const wrong =
    (isExtension ? undefined : whyNotIn(session, ['Pending'], facts)) ??
    whyNotReason(reason, session.spec.approvalReasonConfig)
  if (wrong) return wrong
  if (isExtension) return withoutExtension(session, now, { transition: 'extension-rejected', ...noteOf(action) })
  const note = { by: approverOf(by), ...(reason !== undefined && { note: reason }) }
  const because = isOwn && !verdict.allowed ? { reason: reasons.RejectedByRequester } : {}
  return { ...ending(session, now, 'rejected', { ...note, ...because }), rejectedAt: stamp(now) }
}

function cancel(session: Session, { by, reason }: Do<'cancel'>, facts: ActionFacts): SessionStatus | Failure {
  const verdict = mayApprove(session, by, facts)
  if (!verdict.allowed) return verdict.failure
  const wrong = whyNotIn(session, ['Approved', 'WaitingForScheduledTime'], facts) ?? whyNotReason(reason, undefined)
  if (wrong) return wrong
  return ending(session, facts.now, 'canceled', {
    by: approverOf(by),
    ...(reason !== undefined && { note: reason }),
  })
}

/** By an approver, and never by whoever it was for, whatever is allowed otherwise. Also when it has long ended. */
function review(session: Session, action: Do<'review'>, facts: ActionFacts): SessionStatus | Failure {
  const { by, verdict, comment } = action
  const { now } = facts
  const mayDecide = mayApprove(session, by, facts)
  if (!mayDecide.allowed) return mayDecide.failure
  if (mayBeRequester(session, by, facts.oidcPrefixes)) return failures.ACCESS_SELF_APPROVAL_BLOCKED()
  if (!session.status?.review) return failures.ACCESS_NO_REVIEW()
  if (!isReviewOpen(session)) return failures.ACCESS_REVIEWED()
  const wrong = whyNotReason(comment, undefined)
  if (wrong) return wrong
  const done = { reviewedAt: stamp(now), reviewer: approverOf(by), verdict, ...(comment && { comment }) }
  const reason = comment ? `${verdict}: ${comment}` : verdict
  const status = { ...session.status, review: { ...session.status.review, ...done } }
  return noting(status, now, { transition: 'reviewed', by: approverOf(by), reason })
}

/** Whoever asked needs it no more: what waits is withdrawn, and `drop` also ends what was approved. */
function leave(
  session: Session,
  { do: what, by }: Do<'withdraw' | 'drop'>,
  facts: ActionFacts,
): SessionStatus | Failure {
  const { now } = facts
  if (!isRequester(session, by)) return failures.ACCESS_NOT_THE_REQUESTER()
  const among = what === 'withdraw' ? ['Pending'] : ['Pending', 'Approved', 'WaitingForScheduledTime']
  const wrong = whyNotIn(session, among, facts)
  if (wrong) return wrong
  if (stateOf(session) !== 'Pending') return ending(session, now, 'dropped', { by: approverOf(by) })
  const { approver: _approver, ...status } = ending(session, now, 'withdrawn', { by: approverOf(by) })
  return { ...status, withdrawnAt: stamp(now) }
}

function extend(session: Session, action: Do<'extend'>, facts: ActionFacts): SessionStatus | Failure {
  if (!isRequester(session, action.by)) return failures.ACCESS_NOT_THE_REQUESTER()
  const wrong = whyNotIn(session, ['Approved'], facts)
  const [escalation] = escalationsOf(session, facts.escalations)
  return wrong ?? extending(session, action, escalation, facts.now)
}

const isAlive = (session: Session, { now, lastActivity }: ActionFacts): boolean =>
  standingOf(session, now, lastActivity).live

const isRunning = (session: Session, facts: ActionFacts): boolean =>
  stateOf(session) === 'Approved' && isAlive(session, facts)

/** Why the session is in none of these states any more, by its status or by the clock. */
function whyNotIn(session: Session, states: readonly string[], facts: ActionFacts): Failure | undefined {
  const state = stateOf(session)
  if (isTerminal(state)) return failures.ACCESS_SESSION_OVER({ state })
  const standing = standingOf(session, facts.now, facts.lastActivity)
  if (!standing.live && standing.ending === 'approvalTimeout')
    return failures.ACCESS_SESSION_TIMED_OUT({ at: session.status?.timeoutAt })
  if (!standing.live) return failures.ACCESS_SESSION_OVER({ state: `over (${standing.ending})` })
  if (states.includes(state)) return undefined
  return failures.ACCESS_WRONG_STATE({ state: state || 'not looked at yet', needed: states.join(' or ') })
}
