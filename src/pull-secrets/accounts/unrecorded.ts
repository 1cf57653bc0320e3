import type { Actor } from '../actor.ts'
import { transact } from '../store/database.ts'
import { clear } from './clear.ts'
import type { CredentialRow } from './contract.ts'
import { openIntent } from './intents.ts'
import type { Tools } from './tools.ts'

/**
 * An account that was made or brought back while somebody else, the lock being lost, took its row away: it goes on record
 * again as one that nobody has, and is removed, now or by the sweeper.
 */
export async function clearUnrecorded(
  deps: Tools,
  { id, external_name, external_ref, username, registry_id, hyperfleet_instance_id }: CredentialRow,
  held: AbortSignal,
  actor: Actor,
): Promise<void> {
  const { database, clock, log } = deps
  const begun = await transact(database.db, async (tx) => {
    const row = await tx
      .insertInto('registry_credentials')
      .values({
        id,
        username,
        registry_id,
        hyperfleet_instance_id,
        external_name,
        external_ref,
        state: 'revoking',
        generation: 0,
      })
      // A row of this name has the account.
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
    return row && { row, intent: (await openIntent(tx, clock.now(), row, 'delete')).intent }
  })
  if (!begun) return
  log.warn({ registry: registry_id, credential: id }, 'an account without a record goes again')
  await clear(deps, begun.row, begun.intent, held, actor)
}
