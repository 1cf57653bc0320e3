import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import { backoffMs } from '../../core/backoff.ts'
import { after } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import { uuidV7 } from '../ids.ts'
import type { Db, IntentOp, IntentPhase, IntentTable, Tx } from '../store/tables.ts'
import type { CredentialRow } from './contract.ts'
import type { Tools } from './tools.ts'

export type IntentRow = Selectable<IntentTable>

export const openPhases = ['planned', 'external_done', 'compensating'] as const satisfies readonly IntentPhase[]

/** Between two attempts of the sweeper. It never gives up. */
const retry = { baseMs: 10_000, maxMs: 300_000 }

/** Writes down what is about to be done outside; one that is open already for the same goes on. */
export async function openIntent(
  tx: Tx,
  now: Date,
  credential: Pick<
    CredentialRow,
    'id' | 'registry_id' | 'hyperfleet_instance_id' | 'account_id' | 'external_name' | 'generation'
  >,
  op: IntentOp,
): Promise<{ intent: IntentRow; isFresh: boolean }> {
  const open = await openIntentOf(tx, credential.id, op)
  if (open) return { intent: open, isFresh: false }
  const intent = await tx
    .insertInto('credential_intents')
    .values({
      id: uuidV7(now),
      registry_id: credential.registry_id,
      hyperfleet_instance_id: credential.hyperfleet_instance_id,
      cluster_id: credential.account_id,
      credential_id: credential.id,
      external_name: credential.external_name,
      generation: credential.generation,
      op,
      phase: 'planned',
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { intent, isFresh: true }
}

export const openIntentOf = (db: Db | Tx, credentialId: string, op: IntentOp): Promise<IntentRow | undefined> =>
  db
    .selectFrom('credential_intents')
    .selectAll()
    .where('credential_id', '=', credentialId)
    .where('op', '=', op)
    .where('phase', 'in', openPhases)
    .executeTakeFirst()

export async function setPhase(tx: Tx, id: string, phase: IntentPhase, lastError: string | null = null): Promise<void> {
  await tx
    .updateTable('credential_intents')
    .set({ phase, last_error: lastError, updated_at: sql`now()` })
    .where('id', '=', id)
    .execute()
}

/** All that was still to be done about a credential is done, or taken over by what follows. */
export async function closeIntents(tx: Tx, credentialId: string): Promise<void> {
  await tx
    .updateTable('credential_intents')
    .set({ phase: 'done', updated_at: sql`now()` })
    .where('credential_id', '=', credentialId)
    .where('phase', 'in', openPhases)
    .execute()
}

/** It did not work: later again. Once an attempt, however many notice. */
export async function postpone(deps: Tools, intent: IntentRow, error: unknown): Promise<void> {
  const { database, clock, random } = deps
  await database.db
    .updateTable('credential_intents')
    .set({
      attempts: sql`attempts + 1`,
      last_error: codeOf(error),
      next_attempt_at: after(clock.now(), backoffMs(intent.attempts, retry, random)),
      updated_at: sql`now()`,
    })
    .where('id', '=', intent.id)
    .where('attempts', '=', intent.attempts)
    .execute()
}

/** The code alone: what is stored must not repeat what a registry said. */
export const codeOf = (error: unknown): string => (isFailure(error) ? error.code : 'INTERNAL')
