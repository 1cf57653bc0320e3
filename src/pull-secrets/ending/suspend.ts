import type { CredentialRow } from '../accounts/index.ts'
import { recordStatus } from '../events/status.ts'
import { failures } from '../failures.ts'
import type { RegistryProgress } from '../service.ts'
import { transact } from '../store/database.ts'
import { recordAudit, recordEvent } from '../store/record.ts'
import type { Db } from '../store/tables.ts'
import type { EndingDeps, Hand } from './deps.ts'
import { retireAll } from './deps.ts'
import { clusterRow, isDone, rowsOf } from './record.ts'

/** Under the cluster's lock. The suspension is on record before anything is revoked: nobody can make new ones any more. */
export async function suspend(
  deps: EndingDeps,
  clusterId: string,
  reason: string,
  held: AbortSignal,
  hand: Hand,
): Promise<RegistryProgress> {
  const { database, clock, rotation, checkpoint } = deps
  const { actor } = hand
  await transact(database.db, async (tx) => {
    const cluster = await clusterRow(tx, clusterId)
    if (!cluster) throw failures.PULL_NO_CLUSTER({ cluster: clusterId })
    if (cluster.deleting_at) throw failures.PULL_DELETING({ cluster: clusterId })
    const recorded = await tx
      .insertInto('cluster_suspensions')
      .values({ cluster_id: clusterId, phase: 'suspending', suspended_by: actor.name, reason })
      .onConflict((conflict) =>
        conflict
          .column('cluster_id')
          .doUpdateSet({ phase: 'suspending', suspended_by: actor.name, reason })
          .where('cluster_suspensions.phase', '=', 'resuming'),
      )
      .returning('cluster_id')
      .executeTakeFirst()
    await rotation.cancelOpen(tx, clusterId, actor)
    if (recorded) await recordAudit(tx, clock.now(), { action: 'suspend', actor, clusterId, reason })
  })
  checkpoint('pull.suspension-recorded')
  return await goOnSuspending(deps, clusterId, held, hand)
}

export async function goOnSuspending(
  deps: EndingDeps,
  clusterId: string,
  held: AbortSignal,
  hand: Hand,
): Promise<RegistryProgress> {
  const { database, clock } = deps
  const { actor } = hand
  const rows = await rowsOf(database.db, clusterId)
  const returning = await returningOf(database.db, clusterId)
  const isToReturn = ({ id, state }: CredentialRow) => state === 'active' || state === 'suspended' || returning.has(id)
  const work = rows.map((row) => ({ row, how: isToReturn(row) ? ('suspend' as const) : ('delete' as const) }))
  const progress = await retireAll(deps, work, held, hand)
  await transact(database.db, async (tx) => {
    const left = await rowsOf(tx, clusterId)
    const isOver = isDone(progress) && left.every(({ state }) => state === 'suspended')
    const ended = isOver
      ? await tx
          .updateTable('cluster_suspensions')
          .set({ phase: 'suspended' })
          .where('cluster_id', '=', clusterId)
          .where('phase', '=', 'suspending')
          .returning('cluster_id')
          .executeTakeFirst()
      : undefined
    const data = { generation: (await clusterRow(tx, clusterId))?.generation ?? 0 }
    if (ended) await recordEvent(tx, clock.now(), { channel: 'event', type: 'suspended', clusterId, data, actor })
    await recordStatus(tx, clock.now(), clusterId, 'suspended', actor)
  })
  return progress
}

/**
 * What was in use comes back with the cluster; what was old already, or not in use yet, does not. Of those on their way
 * out the record says which they are.
 */
async function returningOf(db: Db, clusterId: string): Promise<ReadonlySet<string>> {
  const intents = await db
    .selectFrom('credential_intents')
    .select('credential_id')
    .where('cluster_id', '=', clusterId)
    .where('op', '=', 'suspend')
    .where('phase', '=', 'planned')
    .execute()
  return new Set(intents.flatMap(({ credential_id }) => credential_id ?? []))
}
