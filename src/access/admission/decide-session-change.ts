/** What becomes of sessions that are there: whoever may change or delete objects does not decide on access by that. */
import { isDeepStrictEqual } from 'node:util'
import type { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import type { AdmissionRequest, Verdict } from '../../fleet/admission.ts'
import { allowed, badRequest, forbidden } from '../../fleet/admission.ts'
import { sessionAnnotations, sessionFinalizer, sessionLabels } from '../names.ts'
import type { Session } from '../sessions/contract.ts'
import { isReviewOpen } from '../sessions/elapsing.ts'
import { slotOf } from '../sessions/slot.ts'
import { isLive } from '../sessions/standing.ts'
import { controllersOf } from './check-session.ts'
import type { IsOwnUser } from './own-user.ts'

/** Who removes what lost its owner or its namespace: in a cluster of its own controllers, of one program, of Lanyard. */
const janitors: readonly string[] = [
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:serviceaccount:kube-system:namespace-controller',
  'system:kube-controller-manager',
  'system:apiserver',
]
const isJanitor = ({ userInfo }: AdmissionRequest): boolean => janitors.includes(userInfo.username ?? '')

/** Whoever may change objects may label them, and no more. */
export async function decideChange(
  isOwnUser: IsOwnUser,
  object: BreakglassSession,
  old: BreakglassSession,
  request: AdmissionRequest,
): Promise<Verdict> {
  if (!isDeepStrictEqual(object.spec, old.spec))
    return badRequest('spec: what was asked for does not change; ask for another session')
  const label = slotLabel(object)
  if (label !== undefined && label !== slotOf(object.spec))
    return badRequest(`metadata.labels[${sessionLabels.slot}]: is not that of the session; leave it to the hub`)
  const wrong = whatChanged(object, old, isJanitor(request))
  if (wrong === undefined || (await isOwnUser(request.userInfo.username))) return allowed
  return forbidden(wrong)
}

const slotLabel = ({ metadata }: BreakglassSession): string | undefined => metadata?.labels?.[sessionLabels.slot]
const creatorOf = ({ metadata }: BreakglassSession): string | undefined =>
  metadata?.annotations?.[sessionAnnotations.createdBy]
const isHeld = ({ metadata }: BreakglassSession): boolean => metadata?.finalizers?.includes(sessionFinalizer) === true

/** Of what only the hub changes. An owner that goes may be taken off: who decides is in the spec too. */
function whatChanged(object: BreakglassSession, old: BreakglassSession, mayTakeOff: boolean): string | undefined {
  const [after, before] = [controllersOf(object), controllersOf(old)]
  const isFewer = after.every((uid) => before.includes(uid))
  if (!isDeepStrictEqual(after, before) && !(mayTakeOff && isFewer))
    return 'metadata.ownerReferences: who decides on a session is for the hub to say'
  if (slotLabel(object) !== slotLabel(old))
    return `metadata.labels[${sessionLabels.slot}]: is for the hub to set and to take away`
  if (creatorOf(object) !== creatorOf(old))
    return `metadata.annotations[${sessionAnnotations.createdBy}]: is what the API server said, and stays`
  if (isHeld(old) && !isHeld(object)) return `metadata.finalizers: ${sessionFinalizer} is for the hub to take away`
  return undefined
}

/**
 * What grants, or what somebody has to answer for, is not deleted: it is ended, which is on record. With its owner or its
 * namespace it goes all the same, and the hub writes that down before it lets go of it.
 */
export async function decideDeletion(
  isOwnUser: IsOwnUser,
  old: BreakglassSession,
  request: AdmissionRequest,
  now: Date,
): Promise<Verdict> {
  const session = old as Session
  // Whoever deletes it again changes nothing.
  if (session.metadata.deletionTimestamp !== undefined || isJanitor(request)) return allowed
  const name = session.metadata.name
  const wrong = isLive(session, now)
    ? `session ${name} lives: end it with \`lanyard access drop ${name}\`, or as an approver with \`lanyard access cancel ${name}\``
    : isReviewOpen(session)
      ? `session ${name} is not reviewed: an approver does that with \`lanyard access review ${name}\``
      : undefined
  if (wrong === undefined || (await isOwnUser(request.userInfo.username))) return allowed
  return forbidden(wrong)
}
