/** What the database knows of keys: their ids and how they are used, never their bytes. */
import { sql } from 'kysely'
import type { Actor } from '../actor.ts'
import { failures } from '../failures.ts'
import { reading, transact } from '../store/database.ts'
import { recordAudit } from '../store/record.ts'
import type { Db, EncryptionKeyTable, Tx } from '../store/tables.ts'
import type { KeyRing } from './ring.ts'
import type { TokenVault } from './vault.ts'

export interface KeyStatus {
  keyId: string
  /** `unrecorded`: tokens are sealed by it, and no ring that was ever recorded had it. */
  status: EncryptionKeyTable['status'] | 'unrecorded'
  tokens: number
  inRing: boolean
  createdAt?: Date
}

/** Several that record or retire take turns. */
const takeTurns = (tx: Tx) => sql`LOCK TABLE encryption_keys IN SHARE ROW EXCLUSIVE MODE`.execute(tx)

/** Makes the table say what the ring says; after each start and each change. What is retired stays so until it is active. */
export async function recordKeys(db: Db, ring: KeyRing): Promise<void> {
  const others = [...ring.keys.keys()].filter((id) => id !== ring.active)
  await transact(db, async (tx) => {
    await takeTurns(tx)
    await tx
      .updateTable('encryption_keys')
      .set({ status: 'decrypt_only', updated_at: sql<Date>`now()` })
      .where('status', '=', 'active')
      .where('key_id', '<>', ring.active)
      .execute()
    await tx
      .insertInto('encryption_keys')
      .values({ key_id: ring.active, status: 'active' })
      .onConflict((on) =>
        on
          .column('key_id')
          .doUpdateSet({ status: 'active', updated_at: sql<Date>`now()` })
          .where('encryption_keys.status', '<>', 'active'),
      )
      .execute()
    for (const key_id of others)
      await tx
        .insertInto('encryption_keys')
        .values({ key_id, status: 'decrypt_only' })
        .onConflict((on) => on.column('key_id').doNothing())
        .execute()
  })
}

/** The ids of keys that seal a token. Jumps from id to id in the index, however many rows there are. */
export async function keysInUse(db: Db): Promise<string[]> {
  const { rows } = await sql<{ key_id: string }>`
    WITH RECURSIVE used AS (
      (SELECT key_id FROM registry_credentials WHERE key_id IS NOT NULL ORDER BY key_id LIMIT 1)
      UNION ALL
      SELECT (SELECT next.key_id FROM registry_credentials next WHERE next.key_id > used.key_id ORDER BY next.key_id LIMIT 1)
      FROM used WHERE used.key_id IS NOT NULL)
    SELECT key_id FROM used WHERE key_id IS NOT NULL`.execute(db)
  return rows.map(({ key_id }) => key_id)
}

/** For readiness. Throws PULL_KEY_MISSING: nothing is made anew in place of what cannot be read. */
export async function checkKeys(db: Db, vault: Pick<TokenVault, 'keyIds'>): Promise<void> {
  const missing = new Set(await reading(() => keysInUse(db))).difference(vault.keyIds)
  if (missing.size > 0) throw failures.PULL_KEY_MISSING({ keys: [...missing].join(', ') })
}

/** Every key that is in the ring, on record, or in use. */
export async function keyStatus(db: Db, ring: KeyRing): Promise<KeyStatus[]> {
  const [recorded, counted] = await Promise.all([
    db.selectFrom('encryption_keys').selectAll().execute(),
    db
      .selectFrom('registry_credentials')
      .select(['key_id', sql<number>`count(*)::int`.as('tokens')])
      .where('key_id', 'is not', null)
      .groupBy('key_id')
      .execute(),
  ])
  const records = new Map(recorded.map((row) => [row.key_id, row]))
  const tokens = new Map(counted.map((row) => [row.key_id, row.tokens]))
  const ids = new Set([...ring.keys.keys(), ...records.keys(), ...tokens.keys()] as string[])
  return [...ids].sort().map((keyId) => {
    const record = records.get(keyId)
    return {
      keyId,
      status: record?.status ?? 'unrecorded',
      tokens: tokens.get(keyId) ?? 0,
      inRing: ring.keys.has(keyId),
      ...(record && { createdAt: record.created_at }),
    }
  })
}

/** A mounted Secret takes a minute or two to get to every process, and one that missed the change looks after a minute. */
const spreadMinutes = 5

/**
 * No token needs it any more: it may be taken out of the ring. Throws PULL_KEY_IN_USE while one does, and PULL_KEY_RECENT
 * while a process may be left that has not heard of another active key, and seals a token with this one.
 */
export async function retireKey(db: Db, key: string, actor: Actor, now: Date): Promise<void> {
  await transact(db, async (tx) => {
    await takeTurns(tx)
    const record = await tx
      .selectFrom('encryption_keys')
      .select(['status', sql<number>`ceil(extract(epoch FROM now() - updated_at))::int`.as('seconds')])
      .where('key_id', '=', key)
      .executeTakeFirst()
    if (!record) throw failures.PULL_KEY_UNKNOWN({ key })
    const { count } = await tx
      .selectFrom('registry_credentials')
      .select(sql<number>`count(*)::int`.as('count'))
      .where('key_id', '=', key)
      .executeTakeFirstOrThrow()
    if (count > 0) throw failures.PULL_KEY_IN_USE({ key, count })
    if (record.status === 'active') throw failures.PULL_KEY_ACTIVE({ key })
    if (record.status === 'retired') return
    const leftSeconds = spreadMinutes * 60 - record.seconds
    if (leftSeconds > 0) throw failures.PULL_KEY_RECENT({ key, minutes: Math.ceil(leftSeconds / 60) })
    await tx
      .updateTable('encryption_keys')
      .set({ status: 'retired', updated_at: sql<Date>`now()` })
      .where('key_id', '=', key)
      .execute()
    await recordAudit(tx, now, { action: 'reencrypt', actor, reason: `key ${key} retired` })
  })
}
