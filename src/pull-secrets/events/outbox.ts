/**
 * What the outbox holds, told outside: at least once, and in order a cluster.
 *
 * A row is claimed in a short transaction that sets when it may be taken again, so that no transaction is open while
 * somebody outside is talked to, and a process that dies holds nobody up for longer than the claim. Only the first row
 * of a cluster can be claimed: what fails holds up the later ones of its cluster and nobody else's. A claim is longer
 * than a row may take, by more than clocks of two processes differ. Woken by the clock alone: LISTEN does not work
 * through PgBouncer in transaction mode, and a second is soon enough.
 */
import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import { backoffMs } from '../../core/backoff.ts'
import { after } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import { isAbort } from '../../core/lifecycle.ts'
import type { PullDeps } from '../deps.ts'
import type { OutboxTable } from '../store/tables.ts'

export type OutboxRow = Selectable<OutboxTable>
export type Channel = OutboxRow['channel']
/** `dropped`: it never will be taken, and nobody waits for it. */
export type Told = 'told' | 'dropped'

export interface OutboxDeps extends Pick<PullDeps, 'database' | 'clock' | 'random' | 'log' | 'checkpoint'> {
  channel: Channel
  tell(row: OutboxRow, signal: AbortSignal): Promise<Told>
  told(result: Told | 'failed'): void
}

const claimMs = 60_000
const atOnce = 16
const backoff = { baseMs: 1_000, maxMs: 300_000 }
const keptMs = 86_400_000
const prunedAtOnce = 1_000

/** Until nothing is left that is due, or nothing gets through: then the rest is not tried one by one in vain. */
export async function drain(deps: OutboxDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const rows = await claim(deps)
    if (rows.length === 0) return
    const results = await Promise.all(rows.map((row) => tellOne(row, deps, signal)))
    if (!results.some((isTold) => isTold)) return
  }
}

async function tellOne(row: OutboxRow, deps: OutboxDeps, signal: AbortSignal): Promise<boolean> {
  const { database, clock, random, log, channel } = deps
  try {
    const result = await deps.tell(row, signal)
    deps.checkpoint('pull.event-published')
    const done = { published_at: clock.now(), next_attempt_at: null }
    await database.db.updateTable('event_outbox').set(done).where('seq', '=', row.seq).execute()
    deps.told(result)
    return true
  } catch (error) {
    if (isAbort(error, signal)) throw error
    deps.told('failed')
    log.warn(
      { err: error, cluster: row.cluster_id, channel, attempts: row.attempts },
      'what the outbox holds could not be told',
    )
    const failed = {
      last_error: isFailure(error) ? error.code : 'UNKNOWN',
      next_attempt_at: after(clock.now(), backoffMs(row.attempts - 1, backoff, random)),
    }
    await database.db.updateTable('event_outbox').set(failed).where('seq', '=', row.seq).execute()
    return false
  }
}

async function claim({ database, clock, channel }: OutboxDeps): Promise<OutboxRow[]> {
  const now = clock.now()
  const { rows } = await sql<OutboxRow>`
    WITH heads AS MATERIALIZED (
      SELECT seq FROM event_outbox AS row
      WHERE channel = ${channel} AND published_at IS NULL AND (next_attempt_at IS NULL OR next_attempt_at <= ${now})
        AND NOT EXISTS (
          SELECT FROM event_outbox AS earlier
          WHERE earlier.channel = row.channel AND earlier.published_at IS NULL AND earlier.seq < row.seq
            AND coalesce(earlier.cluster_id, '') = coalesce(row.cluster_id, ''))
      ORDER BY seq LIMIT ${atOnce} FOR UPDATE SKIP LOCKED)
    UPDATE event_outbox SET attempts = attempts + 1, next_attempt_at = ${after(now, claimMs)}
    FROM heads WHERE event_outbox.seq = heads.seq
    RETURNING event_outbox.*`.execute(database.db)
  return rows
}

/** A report gives way to a newer one of its cluster, unless somebody is sending it right now. */
export async function dropSuperseded({ database, clock }: Pick<PullDeps, 'database' | 'clock'>): Promise<void> {
  const now = clock.now()
  await sql`
    DELETE FROM event_outbox AS older
    WHERE channel = 'status' AND published_at IS NULL AND (next_attempt_at IS NULL OR next_attempt_at <= ${now})
      AND EXISTS (
        SELECT FROM event_outbox AS newer
        WHERE newer.channel = 'status' AND newer.published_at IS NULL AND newer.seq > older.seq
          AND coalesce(newer.cluster_id, '') = coalesce(older.cluster_id, ''))`.execute(database.db)
}

/** Where nobody is to be told, nothing piles up. */
export async function discard({ database }: Pick<PullDeps, 'database'>, channel: Channel): Promise<void> {
  await database.db.deleteFrom('event_outbox').where('channel', '=', channel).execute()
}

/** What was told stays for a day, to be looked at. */
export async function prune({ database, clock }: Pick<PullDeps, 'database' | 'clock'>): Promise<void> {
  const before = after(clock.now(), -keptMs)
  await sql`DELETE FROM event_outbox WHERE seq IN (
    SELECT seq FROM event_outbox WHERE published_at < ${before} LIMIT ${prunedAtOnce})`.execute(database.db)
}
