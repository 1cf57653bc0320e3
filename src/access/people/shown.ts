import type { BreakglassEscalation } from '../../apis/breakglass/breakglass-escalation.ts'
import type { SessionState } from '../../apis/breakglass/session-status-fields.ts'
import type { Escalation, Session } from '../sessions/index.ts'
import { standingOf, stateOf } from '../sessions/index.ts'

const kindOf = (kind: string) => ({ apiVersion: 'breakglass.t-caas.telekom.com/v1alpha1', kind })

/** As people get it: the object, without what is between the hub and its server. */
export function shownSession({ metadata, spec, status = {} }: Session) {
  const { name, namespace, uid, resourceVersion, creationTimestamp, labels } = metadata
  const { told: _, ...shown } = status
  return {
    ...kindOf('BreakglassSession'),
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp, ...(labels && { labels }) },
    spec,
    status: shown,
  }
}

/** In what state a session is by the clock, which its status may not have reached yet. */
export function stateNow(session: Session, now: Date, lastActivity?: Date): SessionState {
  const state = stateOf(session)
  const standing = standingOf(session, now, lastActivity)
  if (standing.live || !isOpen(state)) return state === '' ? 'Pending' : state
  if (standing.ending === 'approvalTimeout') return 'ApprovalTimeout'
  return standing.ending === 'idleTimeout' ? 'IdleExpired' : 'Expired'
}

const isOpen = (state: string): state is '' | 'Pending' | 'Approved' | 'WaitingForScheduledTime' =>
  ['', 'Pending', 'Approved', 'WaitingForScheduledTime'].includes(state)

/** What somebody who may ask has to know. Who is in a group is not part of it, nor are approvers that are hidden. */
export function shownEscalation({ metadata, spec, status }: Escalation) {
  const { name, namespace, uid } = metadata
  const {
    approvers,
    notificationExclusions: _exclusions,
    podSecurityOverrides: _overrides,
    disableNotifications: _disabled,
    mailProvider: _mail,
    sessionLimitsOverride: _limits,
    ...others
  } = spec
  return {
    ...kindOf('BreakglassEscalation'),
    metadata: { name, namespace, uid },
    spec: { ...others, approvers: shownApprovers(approvers) },
    status: { conditions: status?.conditions ?? [] },
  }
}

type Approvers = NonNullable<BreakglassEscalation['spec']['approvers']>

function shownApprovers({ users = [], groups = [], hiddenFromUI = [] }: Approvers = {}): Approvers {
  const isShown = (name: string) => !hiddenFromUI.includes(name)
  return { users: users.filter(isShown), groups: groups.filter(isShown) }
}
