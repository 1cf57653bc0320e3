import { sql } from 'kysely'
import { isFailure } from '../../core/failure.ts'
import type { Actor } from '../actor.ts'
import { failures } from '../failures.ts'
import type { RegistryDriver } from '../registries/registry.ts'
import { transact } from '../store/database.ts'
import { recordAudit } from '../store/record.ts'
import type { AuditAction } from '../store/tables.ts'
import type { CredentialRow } from './contract.ts'
import type { IntentRow } from './intents.ts'
import { closeIntents, postpone, setPhase } from './intents.ts'
import { isTrustworthy } from './names.ts'
import type { Tools } from './tools.ts'

/** Ends the account outside and then its row, as the intent on record says; again and again until it has worked. */
export async function clear(
  deps: Tools,
  row: CredentialRow,
  intent: IntentRow,
  held: AbortSignal,
  actor: Actor,
): Promise<'gone' | 'pending'> {
  const { registries, log, counts, checkpoint } = deps
  const entry = registries.sources.find(({ id }) => id === row.registry_id)
  if (!entry) {
    await postpone(deps, intent, failures.PULL_NO_REGISTRY({ registry: row.registry_id }))
    log.error(
      { registry: row.registry_id, credential: row.id },
      'an account is left at a registry that is not configured',
    )
    return 'pending'
  }
  const driver = registries.driver(entry.id)
  if (!isTrustworthy(row, driver, entry.type)) {
    await giveUp(deps, row, intent)
    return 'pending'
  }
  held.throwIfAborted()
  const isDisabling = intent.op === 'suspend' && driver.disable !== undefined
  try {
    await end(driver, row, isDisabling, held)
  } catch (error) {
    if (held.aborted || !isFailure(error)) throw error
    await postpone(deps, intent, error)
    log.warn({ registry: entry.id, credential: row.id, code: error.code }, 'an account could not be removed yet')
    return 'pending'
  }
  checkpoint('pull.account-removed')
  await forget(deps, row, intent, actor)
  checkpoint('pull.row-removed')
  counts.turns.inc({ registry: entry.id, turn: isDisabling ? 'disabled' : 'removed' })
  return 'gone'
}

/**
 * What has no token on record was not in use lately: what was ours may have been purged, and its name be somebody else's
 * by now.
 */
async function end(driver: RegistryDriver, row: CredentialRow, isDisabling: boolean, held: AbortSignal): Promise<void> {
  const target = { name: row.external_name, ...(row.external_ref && { ref: row.external_ref }) }
  if (isDisabling) return await driver.disable?.(target, held)
  const isForeign = row.token === null && (await driver.find(target.name, held))?.isOurs === false
  held.throwIfAborted()
  if (!isForeign) await driver.remove(target, held)
}

async function forget({ database, clock }: Tools, row: CredentialRow, intent: IntentRow, actor: Actor): Promise<void> {
  const action: AuditAction = intent.op === 'create' ? 'compensate' : intent.op === 'suspend' ? 'suspend' : 'delete'
  await transact(database.db, async (tx) => {
    if (intent.op === 'suspend')
      await tx
        .updateTable('registry_credentials')
        .set({ state: 'suspended', token: null, key_id: null, last_error: null, updated_at: sql`now()` })
        .where('id', '=', row.id)
        .execute()
    else await tx.deleteFrom('registry_credentials').where('id', '=', row.id).execute()
    await closeIntents(tx, row.id)
    await recordAudit(tx, clock.now(), {
      action,
      actor,
      clusterId: row.account_id,
      credentialId: row.id,
      registryId: row.registry_id,
    })
  })
}

/** Nothing is sent: a person has to find the account. */
async function giveUp({ database, counts, log }: Tools, row: CredentialRow, intent: IntentRow): Promise<void> {
  const { code } = failures.PULL_UNSAFE_NAME({ credential: row.id })
  await transact(database.db, async (tx) => {
    await setPhase(tx, intent.id, 'failed', code)
    await tx
      .updateTable('registry_credentials')
      .set({ state: 'failed', last_error: code, updated_at: sql`now()` })
      .where('id', '=', row.id)
      .execute()
  })
  counts.unsafeNames.inc()
  log.error({ credential: row.id, registry: row.registry_id }, 'the stored name of an account is not fit to be sent')
}
