import { durationOr } from '../duration.ts'
import type { Ending } from '../names.ts'
import { endings } from '../names.ts'
import type { Session, Standing } from './contract.ts'
import { isGrantOnRecord } from './on-record.ts'
import { stateOf } from './states.ts'
import { earliest, latest, plus, timeOf } from './times.ts'

/**
 * What a session is good for now. Its state outranks its times: one that ended grants nothing, and one that waits
 * grants nothing until somebody has written that it began. Its times outrank the next cleanup: what is over is over. And
 * what nobody answers for on record grants nothing.
 */
export function standingOf(session: Session, now: Date, lastActivity?: Date): Standing {
  if (session.metadata.deletionTimestamp !== undefined) return ended(session)
  switch (stateOf(session)) {
    case '':
      return { live: true, grants: false }
    case 'Pending':
      return whilePending(session, now)
    case 'WaitingForScheduledTime':
      return whileWaiting(session, now)
    case 'Approved':
      return whileApproved(session, now, lastActivity)
    default:
      return ended(session)
  }
}

export const isLive = (session: Session, now: Date, lastActivity?: Date): boolean =>
  standingOf(session, now, lastActivity).live

/** When a session that is approved ends by itself, and why. */
export function endOf(session: Session, lastActivity?: Date): { at: Date; ending: Ending } | undefined {
  const expiresAt = timeOf(session.status?.expiresAt)
  const idleAt = idleEnd(session, lastActivity)
  if (idleAt && (!expiresAt || idleAt < expiresAt)) return { at: idleAt, ending: 'idleTimeout' }
  return expiresAt && { at: expiresAt, ending: 'timeExpired' }
}

function whilePending({ status }: Session, now: Date): Standing {
  const timeoutAt = timeOf(status?.timeoutAt)
  if (timeoutAt && now >= timeoutAt) return { live: false, ending: 'approvalTimeout' }
  return { live: true, grants: false, ...(timeoutAt && { until: timeoutAt }) }
}

function whileWaiting({ spec, status }: Session, now: Date): Standing {
  const [startsAt, expiresAt] = [timeOf(spec.scheduledStartTime), timeOf(status?.expiresAt)]
  if (!startsAt) return { live: false, ending: 'missingScheduledStartTime' }
  if (!expiresAt || now >= expiresAt) return { live: false, ending: 'scheduledSessionExpiredBeforeActivation' }
  return { live: true, grants: false, until: startsAt }
}

function whileApproved(session: Session, now: Date, lastActivity?: Date): Standing {
  const end = endOf(session, lastActivity)
  if (session.status?.expiresAt === undefined || !end) return { live: false, ending: 'timeExpired' }
  if (now >= end.at) return { live: false, ending: end.ending }
  const startsAt = timeOf(session.spec.scheduledStartTime)
  if (startsAt && now < startsAt) return { live: true, grants: false, until: earliest(startsAt, end.at) ?? end.at }
  return { live: true, grants: isGrantOnRecord(session), until: end.at }
}

const ended = ({ status }: Session): Standing => ({
  live: false,
  ending: endings.find((ending) => ending === status?.reasonEnded),
})

/** A timeout that cannot be read is one of nothing: to end at once is noticed, to go on for ever is not. */
function idleEnd({ spec, status }: Session, lastActivity?: Date): Date | undefined {
  if (spec.idleTimeout === undefined) return undefined
  const began = timeOf(status?.actualStartTime) ?? timeOf(status?.approvedAt)
  const usedAt = latest(lastActivity, timeOf(status?.lastActivity), began)
  return usedAt && plus(usedAt, durationOr(spec.idleTimeout, 0))
}
