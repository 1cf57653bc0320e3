import { sql } from 'kysely'
import type { Actor } from '../actor.ts'
import { transact } from '../store/database.ts'
import type { Tx } from '../store/tables.ts'
import { clear } from './clear.ts'
import type { CredentialRow } from './contract.ts'
import type { IntentRow } from './intents.ts'
import { closeIntents, openIntent, openIntentOf } from './intents.ts'
import type { Tools } from './tools.ts'

export async function retire(
  deps: Tools,
  credential: Pick<CredentialRow, 'id'>,
  how: 'delete' | 'suspend',
  held: AbortSignal,
  actor: Actor,
): Promise<'gone' | 'pending'> {
  held.throwIfAborted()
  const marked = await transact(deps.database.db, (tx) => mark(tx, deps, credential.id, how))
  if (typeof marked === 'string') return marked
  deps.checkpoint('pull.revoking-marked')
  return await clear(deps, marked.row, marked.intent, held, actor)
}

async function mark(
  tx: Tx,
  { clock }: Tools,
  id: string,
  how: 'delete' | 'suspend',
): Promise<{ row: CredentialRow; intent: IntentRow } | 'gone' | 'pending'> {
  const row = await tx
    .selectFrom('registry_credentials')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) return 'gone'
  // A person has to look at it; asking again changes nothing.
  if (row.state === 'failed') return 'pending'
  if (how === 'suspend' && row.state === 'suspended' && !(await openIntentOf(tx, id, 'recover'))) return 'gone'
  const known = await openIntentOf(tx, id, how)
  if (!known) await closeIntents(tx, id)
  const { intent } = await openIntent(tx, clock.now(), row, how)
  await tx
    .updateTable('registry_credentials')
    .set({ state: 'revoking', updated_at: sql`now()` })
    .where('id', '=', id)
    .execute()
  return { row: { ...row, state: 'revoking' }, intent }
}
