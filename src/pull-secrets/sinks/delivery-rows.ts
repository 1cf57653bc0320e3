/** Which copies have to be made or removed, and what became of them: all SQL of deliveries. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { after } from '../../core/clock.ts'
import type { Registries } from '../registries/entry.ts'
import type { Db } from '../store/tables.ts'

export interface Due {
  clusterId: string
  wanted: 'present' | 'absent'
  /** Of the cluster as it is now; null for one that is to be removed. */
  mark: string | null
  hash: string | null
  revision: number
  attempts: number
}

/** Longer than a copy may take. */
const claimMs = 120_000

/** Hosts and sources shape the document as credentials do: a changed configuration has everything looked at once. */
export const configMark = ({ entries }: Pick<Registries, 'entries'>): string =>
  createHash('sha256')
    .update(JSON.stringify(entries.map(({ id, host, credentialSource }) => [id, host, credentialSource ?? null])))
    .digest('hex')
    .slice(0, 12)

/**
 * Claims what is due in one sink. A cluster is due when the count of its changes, its age or the configuration is not
 * what was looked at last, so that nothing is decrypted to find that nothing changed; one whose copy is there, or may be,
 * is due for removal when it is suspended, deleted or gone.
 */
export async function claimDue(db: Db, sink: string, config: string, now: Date, limit: number): Promise<Due[]> {
  const { rows } = await sql<Due>`
    WITH due AS MATERIALIZED (
      SELECT coalesce(served.cluster_id, copy.cluster_id) AS cluster_id, served.mark
      FROM (
        SELECT cluster_id, generation || '@' || extract(epoch FROM created_at) || '@' || ${config} AS mark
        FROM pull_secret_clusters AS cluster
        WHERE generation > 0 AND deleting_at IS NULL
          AND NOT EXISTS (SELECT FROM cluster_suspensions WHERE cluster_id = cluster.cluster_id)
      ) AS served
      FULL JOIN (SELECT * FROM sink_deliveries WHERE sink = ${sink}) AS copy ON copy.cluster_id = served.cluster_id
      WHERE (copy.next_attempt_at IS NULL OR copy.next_attempt_at <= ${now})
        AND (served.mark IS NULL OR served.mark IS DISTINCT FROM copy.served_mark)
      ORDER BY coalesce(copy.attempts, 0), 1
      LIMIT ${limit})
    INSERT INTO sink_deliveries AS copy (cluster_id, sink, wanted, next_attempt_at)
      SELECT cluster_id, ${sink}, CASE WHEN mark IS NULL THEN 'absent' ELSE 'present' END, ${after(now, claimMs)}::timestamptz FROM due
    ON CONFLICT (cluster_id, sink) DO UPDATE
      SET wanted = excluded.wanted, next_attempt_at = excluded.next_attempt_at, updated_at = now()
      WHERE copy.next_attempt_at IS NULL OR copy.next_attempt_at <= ${now}
    RETURNING cluster_id AS "clusterId", wanted, document_hash AS "hash", revision, attempts,
      (SELECT mark FROM due WHERE due.cluster_id = copy.cluster_id) AS "mark"`.execute(db)
  return rows
}

const one = (db: Db, sink: string, clusterId: string) =>
  db.updateTable('sink_deliveries').where('sink', '=', sink).where('cluster_id', '=', clusterId)

const settled = { attempts: 0, next_attempt_at: null, last_error: null }

/** Nothing to write: the document is the one that is there. */
export async function markLooked(db: Db, sink: string, { clusterId, mark }: Due): Promise<void> {
  await one(db, sink, clusterId)
    .set({ ...settled, served_mark: mark })
    .execute()
}

export async function markPut(
  db: Db,
  sink: string,
  { clusterId, mark, revision }: Due,
  put: { hash: string; version: string; now: Date },
): Promise<void> {
  const { hash, version, now } = put
  const there = { document_hash: hash, version, served_mark: mark, revision: revision + 1, verified_at: now }
  await one(db, sink, clusterId)
    .set({ ...settled, ...there, updated_at: now })
    .execute()
}

export async function markRemoved(db: Db, sink: string, clusterId: string): Promise<void> {
  await db.deleteFrom('sink_deliveries').where('sink', '=', sink).where('cluster_id', '=', clusterId).execute()
}

export async function markFailed(db: Db, sink: string, due: Due, failed: { code: string; again: Date }): Promise<void> {
  await one(db, sink, due.clusterId)
    .set({ attempts: due.attempts + 1, last_error: failed.code, next_attempt_at: failed.again })
    .execute()
}

/** A copy that is not as it was put has to be put again, whatever the cluster's mark says. */
export async function markDrifted(db: Db, sink: string, clusterId: string): Promise<void> {
  await one(db, sink, clusterId).set({ served_mark: null, document_hash: null }).execute()
}

/** The copies that were not verified for the longest time; they count as verified from now on. */
export async function claimUnverified(
  db: Db,
  sink: string,
  { now, before, limit }: { now: Date; before: Date; limit: number },
): Promise<{ clusterId: string; hash: string }[]> {
  const { rows } = await sql<{ clusterId: string; hash: string }>`
    UPDATE sink_deliveries SET verified_at = ${now}
    WHERE (cluster_id, sink) IN (
      SELECT cluster_id, sink FROM sink_deliveries
      WHERE sink = ${sink} AND verified_at < ${before} AND document_hash IS NOT NULL AND next_attempt_at IS NULL
      ORDER BY verified_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING cluster_id AS "clusterId", document_hash AS "hash"`.execute(db)
  return rows
}
