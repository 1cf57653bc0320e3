import type { AuditEvent, AuditType } from './contract.ts'

/** What there may be very much of, and of which one is like the other. All else is never sampled. */
const plentiful: ReadonlySet<AuditType> = new Set(['access.granted'])
/** What anybody can cause who is refused. */
const refusals: ReadonlySet<AuditType> = new Set(['access.denied', 'webhook.unauthorized', 'auth.failure'])

export const isPlentiful = (type: AuditType): boolean => plentiful.has(type)

/** Which events go first when there is no room for all: those of the lowest rank. What happened to sessions goes last. */
export const rankOf = (type: AuditType): 0 | 1 | 2 => (plentiful.has(type) ? 0 : refusals.has(type) ? 1 : 2)

const grave: Readonly<Partial<Record<AuditType, AuditEvent['severity']>>> = {
  'session.denied': 'warning',
  'session.revoked': 'warning',
  'session.approval_unverified_groups': 'warning',
  'session.emergency': 'critical',
  'session.review_overdue': 'critical',
  'access.denied': 'warning',
  'access.denied.policy': 'warning',
  'resource.impersonate': 'warning',
  'pod_security.warning': 'warning',
  'webhook.unauthorized': 'critical',
  'auth.failure': 'warning',
  'audit.gap': 'critical',
}

/** Where whoever tells it does not say. */
export const severityOf = (type: AuditType): AuditEvent['severity'] => grave[type] ?? 'info'

const ranks = ['info', 'warning', 'critical'] as const

export const isAtLeast = (severity: AuditEvent['severity'], least: AuditEvent['severity'] = 'info'): boolean =>
  ranks.indexOf(severity) >= ranks.indexOf(least)
