import { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import type { EventRecorder } from '../../kube/events.ts'
import type { AccessView } from '../view.ts'
import type { AuditEvent, AuditType } from './contract.ts'
import type { Driver } from './driver.ts'
import { reasons } from './reasons.ts'

export interface EventsDriverDeps {
  events: EventRecorder
  view: Pick<AccessView, 'sessions'>
}

const reasonOf: Readonly<Record<AuditType, (typeof reasons)[keyof typeof reasons & string]>> = {
  'session.requested': reasons.SessionRequested,
  'session.approved': reasons.SessionApproved,
  'session.denied': reasons.SessionDenied,
  'session.activated': reasons.SessionActivated,
  'session.expired': reasons.SessionExpired,
  'session.revoked': reasons.SessionRevoked,
  'session.withdrawn': reasons.SessionWithdrawn,
  'session.dropped': reasons.SessionDropped,
  'session.approval_recorded': reasons.SessionApprovalRecorded,
  'session.approval_unverified_groups': reasons.SessionApprovalUnverified,
  'session.extension_requested': reasons.SessionExtensionRequested,
  'session.extension_denied': reasons.SessionExtensionDenied,
  'session.extended': reasons.SessionExtended,
  'session.emergency': reasons.SessionEmergency,
  'session.reviewed': reasons.SessionReviewed,
  'session.review_overdue': reasons.SessionReviewOverdue,
  'session.changed': reasons.SessionChanged,
  'access.granted': reasons.AccessGranted,
  'access.denied': reasons.AccessDenied,
  'access.denied.policy': reasons.AccessDeniedByPolicy,
  'resource.impersonate': reasons.Impersonated,
  'pod_security.warning': reasons.PodSecurityWarning,
  'webhook.unauthorized': reasons.WebhookUnauthorized,
  'auth.failure': reasons.AuthenticationFailed,
  'audit.gap': reasons.AuditGap,
}

/** Events of Kubernetes on the session that an event is about; what is about none is not told here. */
export const eventsDriver = ({ events, view }: EventsDriverDeps): Driver => ({
  batchSize: 100,
  async write(records) {
    for (const { event } of records) {
      const session = sessionOf(event, view)
      if (!session) continue
      const type = event.severity === 'info' ? 'Normal' : 'Warning'
      events.record(BreakglassSession.resource, session, {
        type,
        reason: reasonOf[event.type],
        message: sentenceOf(event),
      })
    }
  },
})

function sessionOf({ target, requestContext }: AuditEvent, { sessions }: Pick<AccessView, 'sessions'>) {
  const isSession = target.kind === BreakglassSession.resource.kind
  const name = isSession ? target.name : requestContext.sessionName
  if (name === undefined) return undefined
  const found = sessions.byIndex('name', name)
  return isSession ? found.find(({ metadata }) => metadata.namespace === target.namespace) : found[0]
}

function sentenceOf({ type, actor, target, details }: AuditEvent): string {
  const by = actor.user === '' ? '' : ` by ${actor.user}`
  const why = typeof details['reason'] === 'string' && details['reason'] !== '' ? `: ${details['reason']}` : ''
  const what = target.kind === BreakglassSession.resource.kind ? '' : ` on ${target.kind} ${target.name}`.trimEnd()
  return `${type}${what}${by}${why}`
}
