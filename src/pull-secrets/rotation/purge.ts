import { sql } from 'kysely'
import type { PullDeps } from '../deps.ts'
import { keyLifeMs } from './request.ts'

const dayMs = 86_400_000
const batch = 1_000

/** How long a consumed event is remembered: longer than any broker delivers it again. */
const processedDays = 30

/** Removes old records, in batches that keep nobody else waiting. The outbox removes its own, and the audit log is never touched. */
export async function purge({ database: { db }, clock, settings }: PullDeps, signal: AbortSignal): Promise<void> {
  const before = (ms: number) => new Date(clock.now().getTime() - ms)
  const history = before(settings.rotation.historyDays * dayMs)
  const statements = [
    sql`delete from pull_secret_rotations where id in (
      select id from pull_secret_rotations where created_at < ${history}
        and updated_at < ${history} and status not in ('pending', 'in_progress') limit ${batch})`,
    sql`delete from idempotency_keys where ctid in (
      select ctid from idempotency_keys where created_at < ${before(keyLifeMs)} limit ${batch})`,
    sql`delete from processed_events where ctid in (
      select ctid from processed_events where created_at < ${before(processedDays * dayMs)} limit ${batch})`,
  ]
  for (const statement of statements) {
    while (!signal.aborted) {
      const { numAffectedRows } = await statement.execute(db)
      if (Number(numAffectedRows ?? 0) < batch) break
    }
  }
}
