import type { SessionHistoryEntry } from '../../apis/breakglass/session-status-fields.ts'
import type { AuditInput } from '../audit/contract.ts'
import type { Session } from '../sessions/contract.ts'
import { tellingOf } from './transitions.ts'

/** The same each time it is told, so that whoever gets it twice sees that. */
export const tellingId = ({ metadata }: Session, { seq }: SessionHistoryEntry): string => `${metadata.uid}/${seq}`

/** Entries that its history let go of before anybody was told. */
export interface Missing {
  readonly from: number
  readonly to: number
}

export function missingOf({ status }: Session): Missing | undefined {
  const [from, first] = [(status?.told ?? 0) + 1, status?.history?.[0]?.seq]
  return first !== undefined && first > from ? { from, to: first - 1 } : undefined
}

export const gapEventOf = ({ metadata, spec }: Session, { from, to }: Missing): AuditInput => ({
  id: `${metadata.uid}/${from}-${to}`,
  type: 'audit.gap',
  actor: { user: '' },
  target: {
    ...{ kind: 'BreakglassSession', name: metadata.name, namespace: metadata.namespace ?? '', cluster: spec.cluster },
  },
  details: { from, to, missing: to - from + 1, user: spec.user, group: spec.grantedGroup },
  requestContext: { sessionName: metadata.name },
})

export function auditEventOf(session: Session, entry: SessionHistoryEntry): AuditInput {
  const { metadata, spec, status } = session
  const { namespace = '', name } = metadata
  const escalation = spec.escalation ?? metadata.ownerReferences?.find(({ controller }) => controller)?.name
  return {
    id: tellingId(session, entry),
    type: tellingOf(entry.transition).type,
    timestamp: new Date(entry.at),
    actor: {
      user: entry.by ?? '',
      ...(entry.by === spec.user && spec.identityProviderName && { identityProvider: spec.identityProviderName }),
    },
    target: { kind: 'BreakglassSession', name, namespace, cluster: spec.cluster },
    details: {
      transition: entry.transition,
      seq: entry.seq,
      user: spec.user,
      group: spec.grantedGroup,
      ...(entry.reason !== undefined && { reason: entry.reason }),
      ...(entry.transition === 'requested' &&
        spec.requestReason !== undefined && { requestReason: spec.requestReason }),
      ...(status?.expiresAt !== undefined && { expiresAt: status.expiresAt }),
      ...(spec.emergency && { emergency: true }),
    },
    requestContext: { sessionName: name, ...(escalation !== undefined && { escalationName: escalation }) },
  }
}
