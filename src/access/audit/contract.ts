/** What happened, as sinks get it. */
export interface AuditEvent {
  readonly id: string
  readonly type: AuditType
  readonly severity: 'info' | 'warning' | 'critical'
  readonly timestamp: string
  readonly actor: {
    readonly user: string
    readonly identityProvider?: string
    readonly groups?: readonly string[]
    readonly sourceIP?: string
    readonly userAgent?: string
  }
  readonly target: {
    readonly kind: string
    readonly name: string
    readonly namespace?: string
    readonly cluster?: string
    readonly apiGroup?: string
  }
  readonly details: Readonly<Record<string, unknown>>
  readonly requestContext: {
    readonly correlationId?: string
    readonly sessionName?: string
    readonly escalationName?: string
  }
}

export const auditTypes = [
  'session.requested',
  'session.approved',
  'session.denied',
  'session.activated',
  'session.expired',
  'session.revoked',
  'session.withdrawn',
  'session.dropped',
  'session.approval_recorded',
  'session.approval_unverified_groups',
  'session.extension_requested',
  'session.extension_denied',
  'session.extended',
  'session.emergency',
  'session.reviewed',
  'session.review_overdue',
  'session.changed',
  'access.granted',
  'access.denied',
  'access.denied.policy',
  'resource.impersonate',
  'pod_security.warning',
  'webhook.unauthorized',
  'auth.failure',
  /** Of the audit itself: so many events are not here, and of which types. */
  'audit.gap',
] as const
export type AuditType = (typeof auditTypes)[number]

/** Id, time and severity are the audit's business, unless whoever tells twice wants it to be seen. */
export type AuditInput = Omit<AuditEvent, 'id' | 'timestamp' | 'severity'> & {
  readonly id?: string
  readonly severity?: AuditEvent['severity']
  readonly timestamp?: Date
}

export interface Audit {
  /** Returns at once and never throws: a slow sink slows nobody. */
  record(event: AuditInput): void
  /**
   * Whether every sink that wants it has it, or refuses it for good; known after some seconds at most. To ask again under
   * the same id writes nothing twice as long as the first is under way.
   */
  recordSurely(event: AuditInput): Promise<boolean>
  /** Whether anybody would get an event of this type: what is costly to put together need not be otherwise. */
  wants(type: AuditType): boolean
}
export const noAudit: Audit = { record: () => {}, recordSurely: async () => true, wants: () => false }
