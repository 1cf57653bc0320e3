import { sql } from 'kysely'
import type { CredentialRow } from '../accounts/index.ts'
import type { ClusterFacts } from '../cluster.ts'
import { clusterFacts } from '../cluster.ts'
import { recordEvaluation, recordStatus } from '../events/status.ts'
import { failures } from '../failures.ts'
import type { RegistryEntry } from '../registries/entry.ts'
import { transact } from '../store/database.ts'
import { recordAudit, recordEvent } from '../store/record.ts'
import type { EndingDeps, Hand } from './deps.ts'
import { retireAll } from './deps.ts'
import { clusterRow, rowsOf, suspensionRow } from './record.ts'

/** Under the cluster's lock. Nothing to do when it is not suspended. */
export async function resume(
  deps: EndingDeps,
  clusterId: string,
  reason: string,
  held: AbortSignal,
  hand: Hand,
): Promise<void> {
  const { database, clock } = deps
  const { actor } = hand
  const isSuspended = await transact(database.db, async (tx) => {
    const cluster = await clusterRow(tx, clusterId)
    if (!cluster) throw failures.PULL_NO_CLUSTER({ cluster: clusterId })
    if (cluster.deleting_at) throw failures.PULL_DELETING({ cluster: clusterId })
    const suspension = await suspensionRow(tx, clusterId)
    if (!suspension || suspension.phase === 'resuming') return suspension !== undefined
    await tx.updateTable('cluster_suspensions').set({ phase: 'resuming' }).where('cluster_id', '=', clusterId).execute()
    await recordAudit(tx, clock.now(), { action: 'resume', actor, clusterId, reason })
    return true
  })
  if (!isSuspended) return
  deps.checkpoint('pull.resumption-recorded')
  await goOnResuming(deps, clusterId, held, hand)
}

/** The suspension ends when all that is needed is back; until then the next call or the sweeper goes on. */
export async function goOnResuming(deps: EndingDeps, clusterId: string, held: AbortSignal, hand: Hand): Promise<void> {
  const { database, clock, registries, log } = deps
  const { actor } = hand
  const row = await clusterRow(database.db, clusterId)
  if (!row) throw failures.PULL_NO_CLUSTER({ cluster: clusterId })
  const rows = await rowsOf(database.db, clusterId)
  const wanted = registries.sources.filter(({ id }) => rows.some((one) => one.registry_id === id))
  const outcomes = await Promise.allSettled(
    wanted.map((source) => bringBack(deps, clusterFacts(row), source, rows, held, hand)),
  )
  for (const [at, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') continue
    const source = wanted[at]
    if (source?.required) {
      await transact(database.db, (tx) => recordStatus(tx, clock.now(), clusterId, 'resuming', actor))
      throw outcome.reason
    }
    log.warn(
      { err: outcome.reason, registry: source?.id, cluster: clusterId },
      'a registry that is not required did not come back',
    )
  }
  await transact(database.db, async (tx) => {
    const ended = await tx
      .deleteFrom('cluster_suspensions')
      .where('cluster_id', '=', clusterId)
      .where('phase', '=', 'resuming')
      .returning('cluster_id')
      .executeTakeFirst()
    if (!ended) return
    // One that never had a complete document has none now either.
    const changed = await tx
      .updateTable('pull_secret_clusters')
      .set({ generation: sql`generation + 1`, updated_at: sql`now()` })
      .where('cluster_id', '=', clusterId)
      .where('generation', '>', 0)
      .returning('generation')
      .executeTakeFirst()
    const event = { channel: 'event', clusterId, data: { generation: changed?.generation ?? 0 }, actor } as const
    await recordEvent(tx, clock.now(), { ...event, type: 'resumed' })
    if (changed) await recordEvent(tx, clock.now(), { ...event, type: 'updated' })
    await recordEvaluation(tx, clock.now(), clusterId, actor)
  })
  deps.checkpoint('pull.suspension-ended')
}

/** One registry: what is still going is left to go, the newest that was suspended returns, the others end. */
async function bringBack(
  deps: EndingDeps,
  cluster: ClusterFacts,
  source: RegistryEntry,
  rows: readonly CredentialRow[],
  held: AbortSignal,
  hand: Hand,
): Promise<void> {
  const { accounts } = deps
  const own = rows.filter(({ registry_id }) => registry_id === source.id)
  const active = own.find(({ state }) => state === 'active')
  const [newest, ...older] = own.filter(({ state }) => state === 'suspended')
  const leaving = own.filter(({ state }) => state === 'revoking')
  if (!active && newest) await accounts.revive(newest, cluster, held, hand.actor)
  else if (!active) await accounts.issue({ cluster, registryId: source.id, as: 'active' }, held, hand.actor)
  const surplus = [...(active && newest ? [newest] : []), ...older, ...leaving]
  await retireAll(
    deps,
    surplus.map((row) => ({ row, how: 'delete' })),
    held,
    hand,
  )
}
