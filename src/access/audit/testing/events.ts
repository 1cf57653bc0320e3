import type { AuditEvent } from '../contract.ts'

/** Somebody was let in, unless told otherwise. */
export const anEvent = (more: Partial<AuditEvent> = {}): AuditEvent => ({
  id: '1',
  type: 'access.granted',
  severity: 'info',
  timestamp: '2026-01-01T00:00:00.000Z',
  actor: { user: 'dev@example.com' },
  target: { kind: 'secrets', name: 'db', namespace: 'prod', cluster: 'west' },
  details: { verb: 'get', 10: 'ten', 9: 'nine' },
  requestContext: {},
  ...more,
})
