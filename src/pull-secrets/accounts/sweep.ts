import { sql } from 'kysely'
import { after } from '../../core/clock.ts'
import { loopActor } from '../actor.ts'
import { clusterFacts } from '../cluster.ts'
import { eachOf } from '../rotation/each-of.ts'
import { transact } from '../store/database.ts'
import type { Db } from '../store/tables.ts'
import { clear } from './clear.ts'
import type { CredentialRow } from './contract.ts'
import type { IntentRow } from './intents.ts'
import { closeIntents, codeOf, openPhases, postpone } from './intents.ts'
import { abandonment, resume } from './issue.ts'
import { isBlocked } from './keep.ts'
import { retire } from './retire.ts'
import type { Tools } from './tools.ts'

const actor = loopActor('sweep')
const atOnce = 8

/**
 * Takes up what a crash, a lost lock or a registry's bad hour left half done. It looks at nothing but our own intents:
 * accounts are never judged by how many there are or how their names begin.
 */
export async function sweep(deps: Tools, signal: AbortSignal): Promise<void> {
  const { settings, clock, database, log } = deps
  const since = clock.now()
  const left: IntentRow[] = []
  for (let isFull = true; isFull && !signal.aborted; ) {
    const claimed = await claimDue(deps, since)
    const byLock = Map.groupBy(claimed, ({ cluster_id, registry_id }) => lockOf(cluster_id, registry_id))
    await eachOf(byLock, atOnce, signal, async ([name, intents]) => {
      try {
        left.push(...((await takeUpAll(deps, name, intents, signal)) ?? intents))
      } catch (error) {
        // Its lock is lost, or the database: the others have theirs.
        if (!signal.aborted) log.warn({ err: error, lock: name }, 'what was left half done is left to the next')
      }
    })
    isFull = claimed.length === settings.sweep.batch
  }
  // Not before: they would be claimed again at once.
  if (left.length > 0) await release(database.db, left, clock.now())
  await sweepStrays(deps, signal)
}

/** Whoever fills the pool holds the same. */
const lockOf = (clusterId: string | null, registryId: string): string => clusterId ?? `pool/${registryId}`

/** @returns those that somebody else goes on with; undefined when it is somebody else's turn */
const takeUpAll = (deps: Tools, name: string, intents: readonly IntentRow[], signal: AbortSignal) =>
  deps.lock.tryHold(name, async (held) => {
    const left: IntentRow[] = []
    for (const intent of intents)
      if ((await takeUp(deps, intent, AbortSignal.any([held, signal]))) === 'left') left.push(intent)
    return left
  })

/** Rows that were marked to go by somebody who died before the intent: of the pool, and of a rotation that ended. */
async function sweepStrays(deps: Tools, signal: AbortSignal): Promise<void> {
  const { database, settings, clock, lock, log } = deps
  const { rows } = await database.data.query<CredentialRow>(
    `SELECT * FROM registry_credentials r
       WHERE state = 'revoking' AND updated_at <= $1 AND NOT EXISTS (
         SELECT FROM credential_intents WHERE credential_id = r.id AND phase IN ('planned', 'external_done', 'compensating'))
       ORDER BY updated_at LIMIT $2`,
    [after(clock.now(), -settings.sweep.afterMs), settings.sweep.batch],
  )
  for (const row of rows) {
    if (signal.aborted) return
    try {
      await lock.tryHold(lockOf(row.account_id, row.registry_id), (held) =>
        retire(deps, row, 'delete', AbortSignal.any([held, signal]), actor),
      )
    } catch (error) {
      log.warn({ err: error, credential: row.id }, 'a credential that has to go is not gone yet')
    }
  }
}

/** Those that were due by then, longest due first. Nobody else gets them for a while, however many processes sweep. */
const claimDue = ({ database, settings, clock }: Tools, since: Date): Promise<IntentRow[]> => {
  const { afterMs, batch } = settings.sweep
  const dueAt = sql<Date>`coalesce(next_attempt_at, updated_at + ${afterMs} * interval '1 millisecond')`
  return transact(database.db, (tx) =>
    tx
      .updateTable('credential_intents')
      // Later than `since`, whatever is set: otherwise a tick would never end.
      .set({ next_attempt_at: after(clock.now(), Math.max(1, afterMs)) })
      .where('id', 'in', (from) =>
        from
          .selectFrom('credential_intents')
          .select('id')
          .where('phase', 'in', openPhases)
          .where(dueAt, '<=', since)
          .orderBy(dueAt)
          .limit(batch)
          .forUpdate()
          .skipLocked(),
      )
      .returningAll()
      .execute(),
  )
}

/** Somebody works on the cluster: the next tick looks again. */
const release = (db: Db, intents: readonly IntentRow[], now: Date): Promise<unknown> =>
  db
    .updateTable('credential_intents')
    .set({ next_attempt_at: now })
    .where(
      'id',
      'in',
      intents.map(({ id }) => id),
    )
    .where('phase', 'in', openPhases)
    .execute()

async function takeUp(deps: Tools, claimed: IntentRow, held: AbortSignal): Promise<'left' | undefined> {
  const { db } = deps.database
  const intent = await db.selectFrom('credential_intents').selectAll().where('id', '=', claimed.id).executeTakeFirst()
  if (!intent || !isOpen(intent)) return undefined
  const row = await db
    .selectFrom('registry_credentials')
    .selectAll()
    .where('id', '=', intent.credential_id)
    .executeTakeFirst()
  try {
    if (!row) await transact(db, (tx) => closeIntents(tx, intent.credential_id as string))
    else if (intent.op === 'recover') return await goOnReviving(deps, intent, row, held)
    else if (intent.op === 'suspend') await goOnSuspending(deps, intent, row, held)
    else if (intent.op === 'create' && intent.phase === 'planned') await goOnMaking(deps, intent, row, held)
    else await clear(deps, row, intent, held, actor)
  } catch (error) {
    if (held.aborted) throw held.reason
    await postpone(deps, intent, error)
    deps.log.warn(
      { err: error, intent: intent.id, code: codeOf(error) },
      'what was left half done could not be ended yet',
    )
  }
  return undefined
}

const isOpen = ({ phase }: IntentRow): boolean => (openPhases as readonly string[]).includes(phase)

async function goOnMaking(deps: Tools, intent: IntentRow, row: CredentialRow, held: AbortSignal): Promise<void> {
  if (await isUnwanted(deps.database.db, row)) {
    const marked = await abandonment(deps, { row, intent })
    if (marked) await clear(deps, marked, intent, held, actor)
    return
  }
  const cluster =
    row.account_id === null
      ? undefined
      : await deps.database.db
          .selectFrom('pull_secret_clusters')
          .selectAll()
          .where('cluster_id', '=', row.account_id)
          .executeTakeFirstOrThrow()
  await resume(deps, { row, intent }, cluster && clusterFacts(cluster), held, actor)
}

/** Its rotation is over, or its cluster is suspended or on its way out. */
const isUnwanted = (db: Db, row: CredentialRow): Promise<boolean> =>
  transact(db, async (tx) => {
    if (row.account_id && (await isBlocked(tx, row.account_id))) return true
    if (!row.rotation_id) return false
    const rotation = await tx
      .selectFrom('pull_secret_rotations')
      .select('id')
      .where('id', '=', row.rotation_id)
      .where('status', 'in', ['pending', 'in_progress'])
      .executeTakeFirst()
    return rotation === undefined
  })

/** While its cluster resumes, that goes on with it; when it does not any more, the account has to go again. */
async function goOnReviving(
  deps: Tools,
  intent: IntentRow,
  row: CredentialRow,
  held: AbortSignal,
): Promise<'left' | undefined> {
  const phase = await suspensionOf(deps, intent)
  if (phase === 'resuming') return 'left'
  await retire(deps, row, phase ? 'suspend' : 'delete', held, actor)
  return undefined
}

/** Its cluster may have been resumed without it: then nothing has to be kept for a return. */
async function goOnSuspending(deps: Tools, intent: IntentRow, row: CredentialRow, held: AbortSignal): Promise<void> {
  const phase = await suspensionOf(deps, intent)
  if (!phase || phase === 'resuming') await retire(deps, row, 'delete', held, actor)
  else await clear(deps, row, intent, held, actor)
}

async function suspensionOf({ database }: Tools, { cluster_id }: IntentRow) {
  const suspension = await database.db
    .selectFrom('cluster_suspensions')
    .select('phase')
    .where('cluster_id', '=', cluster_id ?? '')
    .executeTakeFirst()
  return suspension?.phase
}
