/** What is written beside every change, in its transaction: who did it, and what is to be told of it. */
import type { Actor } from '../actor.ts'
import { uuidV7 } from '../ids.ts'
import type { AuditAction, OutboxTable, Tx } from './tables.ts'

export interface AuditEntry {
  action: AuditAction
  actor: Actor
  clusterId?: string | null
  credentialId?: string | null
  registryId?: string | null
  reason?: string
}

/** A cluster that is gone keeps its entries. Never give it a token, nor anything a registry said. */
export async function recordAudit(tx: Tx, now: Date, ...entries: AuditEntry[]): Promise<void> {
  if (entries.length === 0) return
  await tx
    .insertInto('credential_audit_log')
    .values(
      entries.map(({ action, actor, clusterId, credentialId, registryId, reason }) => ({
        id: uuidV7(now),
        action,
        actor: actor.name,
        trace_id: actor.traceId ?? null,
        cluster_id: clusterId ?? null,
        credential_id: credentialId ?? null,
        registry_id: registryId ?? null,
        reason: reason ?? null,
      })),
    )
    .execute()
}

export const eventTypes = [
  'generated',
  'updated',
  'rotation.started',
  'rotation.dual',
  'rotation.completed',
  'rotation.failed',
  /** Before the end of a grace, and when it is over and the old credentials are held. */
  'rotation.warning',
  'suspended',
  'resumed',
  'deleted',
  'pool.low',
] as const
export type EventType = (typeof eventTypes)[number]

export interface OutboxEntry {
  channel: OutboxTable['channel']
  /** Of an event: without prefix and version. */
  type: EventType | 'status'
  clusterId?: string | null
  /** Ids, counts, states; never a token. */
  data: Record<string, unknown>
  actor?: Actor
}

/** Publishing is the outbox loop's: at least once, in order a cluster. */
export async function recordEvent(tx: Tx, now: Date, ...entries: OutboxEntry[]): Promise<void> {
  if (entries.length === 0) return
  await tx
    .insertInto('event_outbox')
    .values(
      entries.map(({ channel, type, clusterId, data, actor }) => ({
        id: uuidV7(now),
        channel,
        type,
        cluster_id: clusterId ?? null,
        data: JSON.stringify(data),
        traceparent: actor?.traceparent ?? null,
      })),
    )
    .execute()
}
