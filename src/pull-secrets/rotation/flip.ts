import { sql } from 'kysely'
import type { Actor } from '../actor.ts'
import type { PullDeps } from '../deps.ts'
import { recordEvaluation } from '../events/status.ts'
import { transact } from '../store/database.ts'
import { recordAudit, recordEvent } from '../store/record.ts'
import type { CredentialFacts, Step } from './decide.ts'
import type { RotationRow } from './rows.ts'
import { eventOf } from './rows.ts'

/**
 * The moment at which a cluster changes over, at all registries at once: one transaction, so that nobody ever reads a
 * document of both. False when something else has moved in between: look again.
 */
export async function flip(
  { database: { db }, clock, settings, checkpoint }: PullDeps,
  rotation: RotationRow,
  { staged, replaced, phase }: Extract<Step<CredentialFacts>, { step: 'flip' }>,
  actor: Actor,
): Promise<boolean> {
  const now = clock.now()
  const clusterId = rotation.cluster_id
  const done = await transact(db, async (tx) => {
    const present = await tx
      .selectFrom('pull_secret_rotations')
      .select(['status', 'phase', 'flipped_at', 'grace_deadline'])
      .where('id', '=', rotation.id)
      .forUpdate()
      .executeTakeFirst()
    if (present?.status !== rotation.status || present.phase !== rotation.phase) return false
    // First out, then in: the index allows one active a registry at any time.
    const out = await tx
      .updateTable('registry_credentials')
      .set({ state: 'superseded', updated_at: sql`now()` })
      .where('id', 'in', idsOf(replaced))
      .where('state', '=', 'active')
      .returning(['id', 'registry_id'])
      .execute()
    const into = await tx
      .updateTable('registry_credentials')
      .set({ state: 'active', updated_at: sql`now()` })
      .where('id', 'in', idsOf(staged))
      .where('state', '=', 'staged')
      .returning(['id', 'registry_id'])
      .execute()
    if (out.length !== replaced.length || into.length !== staged.length) throw new Moved()
    const { generation } = await tx
      .updateTable('pull_secret_clusters')
      .set((set) => ({ generation: set('generation', '+', 1), last_rotated_at: now, updated_at: now }))
      .where('cluster_id', '=', clusterId)
      // Who suspends or deletes holds the lock as well, but a lock can be lost.
      .where('deleting_at', 'is', null)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('cluster_suspensions').select('phase').where('cluster_id', '=', clusterId))),
      )
      .returning('generation')
      .executeTakeFirstOrThrow(() => new Moved())
    const flipped = await tx
      .updateTable('pull_secret_rotations')
      .set({
        phase,
        flipped_at: present.flipped_at ?? now,
        grace_deadline:
          phase === 'dual' ? (present.grace_deadline ?? new Date(now.getTime() + settings.rotation.graceMs)) : null,
        attempts: 0,
        next_attempt_at: null,
        last_error: null,
        updated_at: now,
      })
      .where('id', '=', rotation.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordAudit(
      tx,
      now,
      ...out.map((one) => audited(one, 'superseded')),
      ...into.map((one) => audited(one, 'activated')),
    )
    await recordEvent(tx, now, {
      channel: 'event',
      type: 'updated',
      clusterId,
      data: { rotation_id: rotation.id, generation },
      actor,
    })
    if (phase === 'dual') await recordEvent(tx, now, eventOf('rotation.dual', flipped, actor, { generation }))
    await recordEvaluation(tx, now, clusterId, actor)
    return true
  }).catch((error: unknown) => {
    if (error instanceof Moved) return false
    throw error
  })
  if (done) checkpoint('pull.flipped')
  return done

  function audited({ id, registry_id }: { id: string; registry_id: string }, reason: string) {
    return { action: 'rotate' as const, actor, clusterId, credentialId: id, registryId: registry_id, reason }
  }
}

/** Undoes the transaction. */
class Moved extends Error {}

/** Never an empty list, which SQL does not know: an id that nobody has. */
const idsOf = (credentials: readonly CredentialFacts[]): string[] =>
  credentials.length > 0 ? credentials.map(({ id }) => id) : ['00000000-0000-0000-0000-000000000000']
