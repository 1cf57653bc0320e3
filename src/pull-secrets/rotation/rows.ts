import type { Selectable } from 'kysely'
import type { Actor } from '../actor.ts'
import type { RotationView } from '../service.ts'
import type { EventType, OutboxEntry } from '../store/record.ts'
import type { ClusterTable, RotationStatus, RotationTable } from '../store/tables.ts'

export type RotationRow = Selectable<RotationTable>
export type ClusterRow = Selectable<ClusterTable>

export const openStatuses = ['pending', 'in_progress'] as const satisfies readonly RotationStatus[]

export const isOpen = ({ status }: Pick<RotationRow, 'status'>): boolean =>
  (openStatuses as readonly RotationStatus[]).includes(status)

/** Whether the old credentials go as soon as the new ones are served. */
export const isImmediate = (rotation: Pick<RotationRow, 'force_immediate' | 'reason'>): boolean =>
  rotation.force_immediate || rotation.reason === 'compromise'

export function viewOf(row: RotationRow): RotationView {
  return {
    id: row.id,
    clusterId: row.cluster_id,
    status: row.status,
    ...(row.phase && { phase: row.phase }),
    reason: row.reason,
    forceImmediate: row.force_immediate,
    requestedBy: row.requested_by,
    ...(row.grace_deadline && { graceDeadline: row.grace_deadline }),
    ...(row.confirmed_at && { confirmedAt: row.confirmed_at }),
    ...(row.completed_at && { completedAt: row.completed_at }),
    ...(row.cancelled_at && { cancelledAt: row.cancelled_at }),
    ...(row.last_error && { lastError: row.last_error }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** What is told of a rotation. */
export const eventOf = (
  type: Extract<EventType, `rotation.${string}`>,
  rotation: RotationRow,
  actor: Actor,
  more: Record<string, unknown> = {},
): OutboxEntry => ({
  channel: 'event',
  type,
  clusterId: rotation.cluster_id,
  data: {
    rotation_id: rotation.id,
    reason: rotation.reason,
    status: rotation.status,
    ...(rotation.phase && { phase: rotation.phase }),
    ...(rotation.grace_deadline && { grace_deadline: rotation.grace_deadline.toISOString() }),
    ...more,
  },
  actor,
})
