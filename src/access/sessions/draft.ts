import { BreakglassEscalation } from '../../apis/breakglass/breakglass-escalation.ts'
import type { BreakglassSession, SessionSpec } from '../../apis/breakglass/breakglass-session.ts'
import type { Failure } from '../../core/failure.ts'
import { apiVersionOf } from '../../kube/objects.ts'
import { durationOr, formatDuration } from '../duration.ts'
import { sessionFinalizer, sessionLabels } from '../names.ts'
import { defaults } from './beginning.ts'
import type { RequestFacts, Session, Wish } from './contract.ts'
import { isReviewOverdue } from './elapsing.ts'
import { failures } from './failures.ts'
import { limitsOf, whyTooMany } from './limits.ts'
import type { Permitted } from './request.ts'
import { labelValue, sessionName, slotOf } from './slot.ts'
import { stamp, timeOf } from './times.ts'
import { leastSeconds } from './words-given.ts'

/** So that somebody can approve before it begins. */
const leastLeadMs = 300_000

/** What is wrong with what somebody asks for in a slot that is free: for how long, from when, how many they have. */
export function whyNotNow(
  wish: Wish,
  { escalation, user }: Permitted,
  facts: RequestFacts,
  now: Date,
  isLive: (session: Session) => boolean,
): Failure | undefined {
  const mostMs = durationOr(escalation.spec.maxValidFor, defaults.maxValidForMs)
  const { seconds, scheduledStartTime, emergency } = wish
  if (seconds !== undefined && !(seconds >= leastSeconds))
    return failures.ACCESS_TOO_SHORT({ least: leastSeconds, seconds })
  if (seconds !== undefined && seconds * 1_000 > mostMs)
    return failures.ACCESS_TOO_LONG({ most: formatDuration(mostMs), asked: formatDuration(seconds * 1_000) })
  if (scheduledStartTime !== undefined) {
    if (emergency) return failures.ACCESS_EMERGENCY_SCHEDULED()
    const startsAt = rfc3339.test(scheduledStartTime) ? timeOf(scheduledStartTime) : undefined
    if (!startsAt || startsAt.getTime() < now.getTime() + leastLeadMs)
      return failures.ACCESS_BAD_START({ least: formatDuration(leastLeadMs), given: scheduledStartTime })
  }
  const unreviewed = emergency ? facts.sessions.find((session) => isReviewOverdue(session, now)) : undefined
  if (unreviewed)
    return failures.ACCESS_REVIEW_OVERDUE({
      session: unreviewed.metadata.name,
      dueAt: unreviewed.status?.review?.dueAt,
    })
  const live = {
    ofUser: facts.sessions.filter(isLive).length,
    underEscalation: facts.under(escalation.metadata.uid).filter(isLive).length,
  }
  return whyTooMany(limitsOf(escalation, facts), live, { user, escalation: escalation.metadata.name })
}

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

/** The n-th session of its slot, with all that must not change when the escalation does. */
export function draftOf(wish: Wish, permitted: Permitted, { person }: RequestFacts, n: number): BreakglassSession {
  const { escalation, cluster, user } = permitted
  const slot = { cluster: wish.cluster, user, grantedGroup: wish.group }
  const { kind } = BreakglassEscalation.resource
  const { name, uid, namespace } = escalation.metadata
  return {
    metadata: {
      name: sessionName(slot, n),
      ...(namespace !== undefined && { namespace }),
      labels: {
        [sessionLabels.cluster]: labelValue(wish.cluster),
        [sessionLabels.user]: labelValue(user),
        [sessionLabels.group]: labelValue(wish.group),
        [sessionLabels.slot]: slotOf(slot),
      },
      finalizers: [sessionFinalizer],
      ownerReferences: [{ apiVersion: apiVersionOf(BreakglassEscalation.resource), kind, name, uid, controller: true }],
    },
    spec: {
      ...slot,
      clusterConfigRef: cluster.metadata.name,
      escalation: name,
      ...asked(wish),
      ...snapshot(wish, permitted),
      requestedBy: definedOnly({ email: person.email, username: person.username, subject: person.subject }),
      identityProviderName: person.identityProvider,
      identityProviderIssuer: person.issuer,
    },
  }
}

const asked = ({ reason, emergency, scheduledStartTime }: Wish): Partial<SessionSpec> => {
  const startsAt = timeOf(scheduledStartTime)
  return {
    ...(reason !== undefined && reason !== '' && { requestReason: reason }),
    ...(emergency && { emergency }),
    ...(startsAt && { scheduledStartTime: stamp(startsAt) }),
  }
}

function snapshot({ seconds }: Wish, { escalation }: Permitted): Partial<SessionSpec> {
  const { spec } = escalation
  const validForMs = seconds === undefined ? durationOr(spec.maxValidFor, defaults.maxValidForMs) : seconds * 1_000
  return definedOnly({
    maxValidFor: formatDuration(validForMs),
    retainFor: spec.retainFor ?? formatDuration(defaults.retainForMs),
    idleTimeout: spec.idleTimeout,
    minApprovals: spec.minApprovals,
    denyPolicyRefs: spec.denyPolicyRefs,
    requestReasonConfig: spec.requestReason,
    approvalReasonConfig: spec.approvalReason,
  })
}

const definedOnly = <T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
