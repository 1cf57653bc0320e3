import { sql } from 'kysely'
import { isFailure } from '../../core/failure.ts'
import type { Actor } from '../actor.ts'
import { recordEvaluation } from '../events/status.ts'
import type { Account } from '../registries/registry.ts'
import { transact } from '../store/database.ts'
import { recordAudit, recordEvent } from '../store/record.ts'
import type { AuditAction, Tx } from '../store/tables.ts'
import type { CredentialRow } from './contract.ts'
import type { IntentRow } from './intents.ts'
import { setPhase } from './intents.ts'
import type { Tools } from './tools.ts'

/** An account that is being made: its row and the intent, both committed. */
export interface Begun {
  row: CredentialRow
  intent: IntentRow
}

export type Kept =
  | { credential: CredentialRow }
  /** Nobody may or needs to use it any more: it has to go again. */
  | { surplus: CredentialRow | undefined }

/**
 * Stores what the registry gave and makes it count. The token is in memory only, so a commit of which nobody knows the
 * outcome is looked up in the intent and tried once more before it is given up.
 *
 * @param options.isLate nobody waits for it any more, so that a document that is served already changes by it
 */
export async function keep(
  deps: Tools,
  begun: Begun,
  account: Account,
  options: { action: Extract<AuditAction, 'create' | 'adopt'>; isLate: boolean },
  actor: Actor,
): Promise<Kept> {
  const store = () => transact(deps.database.db, (tx) => keepIn(tx, deps, begun, account, options, actor))
  let kept: Kept
  try {
    kept = await store()
  } catch (error) {
    if (!isFailure(error, 'PULL_DATABASE_AWAY')) throw error
    kept = (await outcome(deps, begun)) ?? (await store())
  }
  deps.checkpoint('pull.credential-stored')
  return kept
}

async function keepIn(
  tx: Tx,
  { clock, vault, log }: Tools,
  { row, intent }: Begun,
  account: Account,
  { action, isLate }: { action: AuditAction; isLate: boolean },
  actor: Actor,
): Promise<Kept> {
  const isStaged = row.rotation_id !== null
  // Before the rival is looked for: who makes one count holds its cluster in the same way, so none can come after that.
  const isUnwanted = row.account_id !== null && (await isBlocked(tx, row.account_id))
  const rival = isStaged ? undefined : await activeOf(tx, row)
  if (rival || isUnwanted) {
    const marked = await tx
      .updateTable('registry_credentials')
      .set({ state: 'revoking', updated_at: sql`now()` })
      .where('id', '=', row.id)
      .where('state', '=', 'provisioning')
      .returning('id')
      .executeTakeFirst()
    if (marked) await setPhase(tx, intent.id, 'compensating')
    return { surplus: rival }
  }
  const sealed = vault.seal(
    { credentialId: row.id, registryId: row.registry_id, instanceId: row.hyperfleet_instance_id },
    account.token,
  )
  const credential = await tx
    .updateTable('registry_credentials')
    .set({
      username: account.username,
      token: sealed.token,
      key_id: sealed.keyId,
      external_ref: account.ref ?? row.external_ref,
      state: isStaged ? 'staged' : 'active',
      issued_at: sql`now()`,
      expires_at: account.expiresAt ?? null,
      updated_at: sql`now()`,
    })
    .where('id', '=', row.id)
    .where('state', '=', 'provisioning')
    .returningAll()
    .executeTakeFirst()
  // Somebody else settled it while the lock was lost.
  if (!credential) {
    log.warn({ credential: row.id }, 'an account was settled by somebody else meanwhile')
    return { surplus: undefined }
  }
  await setPhase(tx, intent.id, 'committed')
  await recordAudit(tx, clock.now(), {
    action,
    actor,
    clusterId: row.account_id,
    credentialId: row.id,
    registryId: row.registry_id,
  })
  if (isLate && !isStaged && row.account_id) await announceChange(tx, clock.now(), row.account_id, actor)
  return { credential }
}

/** What is served has changed, unless nothing was served before: then the next who asks is told. */
export async function announceChange(tx: Tx, now: Date, clusterId: string, actor: Actor): Promise<void> {
  const cluster = await tx
    .updateTable('pull_secret_clusters')
    .set({ generation: sql`generation + 1`, updated_at: sql`now()` })
    .where('cluster_id', '=', clusterId)
    .where('generation', '>', 0)
    .returning('generation')
    .executeTakeFirst()
  if (!cluster) return
  await recordEvent(tx, now, { channel: 'event', type: 'updated', clusterId, data: { ...cluster }, actor })
  await recordEvaluation(tx, now, clusterId, actor)
}

/** Another one: this may count itself by now, by the hand of somebody else or by a commit that nobody knew of. */
const activeOf = (tx: Tx, row: CredentialRow): Promise<CredentialRow | undefined> =>
  tx
    .selectFrom('registry_credentials')
    .selectAll()
    .where('account_id', '=', row.account_id)
    .where('registry_id', '=', row.registry_id)
    .where('state', '=', 'active')
    .where('id', '<>', row.id)
    .executeTakeFirst()

/** Suspended, on its way out or gone: nothing may come into being for it. Until the transaction ends, it stays so. */
export async function isBlocked(tx: Tx, clusterId: string): Promise<boolean> {
  const cluster = await tx
    .selectFrom('pull_secret_clusters')
    .select('cluster_id')
    .where('cluster_id', '=', clusterId)
    .where('deleting_at', 'is', null)
    // Not in share mode: whoever changes the row later in the same transaction would wait for another who does.
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!cluster) return true
  const suspension = await tx
    .selectFrom('cluster_suspensions')
    .select('phase')
    .where('cluster_id', '=', clusterId)
    .where('phase', '<>', 'resuming')
    .executeTakeFirst()
  return suspension !== undefined
}

async function outcome({ database }: Tools, { row, intent }: Begun): Promise<Kept | undefined> {
  const phase = await database.db
    .selectFrom('credential_intents')
    .select('phase')
    .where('id', '=', intent.id)
    .executeTakeFirst()
  if (phase?.phase === 'planned') return undefined
  const credential = await database.db
    .selectFrom('registry_credentials')
    .selectAll()
    .where('id', '=', row.id)
    .executeTakeFirst()
  return credential?.token && credential.state !== 'revoking' ? { credential } : { surplus: undefined }
}
