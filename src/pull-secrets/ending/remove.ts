import { sql } from 'kysely'
import { recordStatus } from '../events/status.ts'
import type { RegistryProgress } from '../service.ts'
import { transact } from '../store/database.ts'
import { recordAudit, recordEvent } from '../store/record.ts'
import type { EndingDeps, Hand } from './deps.ts'
import { retireAll } from './deps.ts'
import { clusterRow, isDone, rowsOf } from './record.ts'

/** Under the cluster's lock. Marked first, so that nothing new comes into being while the old goes. */
export async function remove(
  deps: EndingDeps,
  clusterId: string,
  held: AbortSignal,
  hand: Hand,
): Promise<RegistryProgress> {
  const { database, rotation, clock, checkpoint } = deps
  const { actor } = hand
  const isKnown = await transact(database.db, async (tx) => {
    const known = await tx
      .updateTable('pull_secret_clusters')
      .set({ deleting_at: sql`coalesce(deleting_at, now())`, updated_at: sql`now()` })
      .where('cluster_id', '=', clusterId)
      .returning('cluster_id')
      .executeTakeFirst()
    if (known) await rotation.cancelOpen(tx, clusterId, actor)
    return known !== undefined
  })
  if (!isKnown) return {}
  checkpoint('pull.deletion-recorded')
  const rows = await rowsOf(database.db, clusterId)
  const progress = await retireAll(
    deps,
    rows.map((row) => ({ row, how: 'delete' })),
    held,
    hand,
  )
  await transact(database.db, async (tx) => {
    const isOver = isDone(progress) && (await rowsOf(tx, clusterId)).length === 0
    if (!isOver) return await recordStatus(tx, clock.now(), clusterId, 'deleting', actor)
    const cluster = await clusterRow(tx, clusterId)
    await tx.deleteFrom('cluster_suspensions').where('cluster_id', '=', clusterId).execute()
    await tx.deleteFrom('pull_secret_clusters').where('cluster_id', '=', clusterId).execute()
    await recordAudit(tx, clock.now(), { action: 'delete', actor, clusterId })
    const data = { generation: cluster?.generation ?? 0 }
    await recordEvent(tx, clock.now(), { channel: 'event', type: 'deleted', clusterId, data, actor })
    await recordStatus(tx, clock.now(), clusterId, 'deleted', actor)
  })
  checkpoint('pull.cluster-removed')
  return progress
}
