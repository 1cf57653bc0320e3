import { sql } from 'kysely'
import { isFailure } from '../../core/failure.ts'
import type { Accounts, CredentialRow } from '../accounts/index.ts'
import type { Actor } from '../actor.ts'
import type { PullDeps } from '../deps.ts'
import type { PoolSettings } from '../settings.ts'
import { transact } from '../store/database.ts'
import { recordEvent } from '../store/record.ts'
import type { PoolMetrics } from './levels.ts'
import { levelOf, roomFor } from './levels.ts'
import { idleSince } from './take.ts'

export interface Filling {
  deps: PullDeps
  accounts: Accounts
  settings: PoolSettings
  metrics: PoolMetrics
  actor: Actor
}

/** One batch at one registry: drains what is too old or too much, fills up, tells when it is low. */
export async function tend(filling: Filling, registryId: string, held: AbortSignal): Promise<void> {
  await watch(filling, registryId)
  try {
    await drain(filling, registryId, held)
    await fill(filling, registryId, held)
  } finally {
    await watch(filling, registryId)
  }
}

/** The first failure ends it: an open breaker, a spent budget and a registry that refuses us all want to be left alone. */
async function fill(
  { deps, accounts, settings, actor }: Filling,
  registryId: string,
  held: AbortSignal,
): Promise<void> {
  for (let made = 0; !held.aborted; made++) {
    if (roomFor(await levelOf(deps.database.db, registryId), settings, made) === 0) return
    await accounts.issue({ registryId, as: 'active' }, held, actor)
  }
}

async function drain(filling: Filling, registryId: string, held: AbortSignal): Promise<void> {
  const { deps, accounts, actor } = filling
  for (const credential of await leaving(filling, registryId)) {
    if (held.aborted) return
    try {
      await accounts.retire(credential, 'delete', held, actor)
    } catch (error) {
      // It can be given to nobody any more, and its row is on record: no reason not to fill up.
      deps.log.warn({ err: error, credential: credential.id }, 'a pooled credential is not removed yet')
    }
  }
}

/** Marks what has to go, oldest first: from then on nobody is given it. What `take` has locked is not ours any more. */
async function leaving({ deps, settings }: Filling, registryId: string): Promise<CredentialRow[]> {
  const now = deps.clock.now()
  return transact(deps.database.db, async (tx) => {
    const pooled = await tx
      .selectFrom('registry_credentials')
      .select(['id', 'issued_at', 'expires_at'])
      .where('account_id', 'is', null)
      .where('state', '=', 'active')
      .where('registry_id', '=', registryId)
      .orderBy('issued_at')
      .orderBy('id')
      .forUpdate()
      .skipLocked()
      .execute()
    const excess = pooled.length - settings.high
    const ids = pooled
      .filter(
        ({ issued_at, expires_at }, index) =>
          index < excess ||
          (issued_at !== null && issued_at <= idleSince(now, settings)) ||
          (expires_at !== null && expires_at <= now),
      )
      .slice(0, settings.batch)
      .map(({ id }) => id)
    if (ids.length === 0) return []
    return tx
      .updateTable('registry_credentials')
      .set({ state: 'revoking', updated_at: sql`now()` })
      .where('id', 'in', ids)
      .returningAll()
      .execute()
  })
}

/** Told once, until there are enough again. */
async function watch({ deps, settings, metrics, actor }: Filling, registryId: string): Promise<void> {
  const { db } = deps.database
  const { size } = await levelOf(db, registryId)
  const isLow = size < settings.low
  metrics.size.set({ registry: registryId }, size)
  metrics.low.set({ registry: registryId }, isLow ? 1 : 0)
  if (!isLow) {
    await db.deleteFrom('pool_alerts').where('registry_id', '=', registryId).execute()
    return
  }
  const now = deps.clock.now()
  const isNew = await transact(db, async (tx) => {
    const raised = await tx
      .insertInto('pool_alerts')
      .values({ registry_id: registryId })
      .onConflict((conflict) => conflict.doNothing())
      .returning('registry_id')
      .executeTakeFirst()
    if (!raised) return false
    const data = { registry_id: registryId, size, low: settings.low, high: settings.high }
    await recordEvent(tx, now, { channel: 'event', type: 'pool.low', data, actor })
    return true
  })
  if (!isNew) return
  metrics.alerts.inc({ registry: registryId })
  deps.log.warn({ registry: registryId, size, low: settings.low }, 'the pool is low')
}

/** Those that another time will do without: nothing for a person to look into. */
export const isPassing = (error: unknown): boolean =>
  isFailure(error, 'REGISTRY_UNAVAILABLE') || isFailure(error, 'REGISTRY_UNCERTAIN')
