/** How a rotation ends before its last step: confirmed by its user, cancelled, or failed. */
import type { Accounts } from '../accounts/index.ts'
import type { Actor } from '../actor.ts'
import type { PullDeps } from '../deps.ts'
import { recordEvaluation } from '../events/status.ts'
import { failures } from '../failures.ts'
import type { RotationView } from '../service.ts'
import { transact } from '../store/database.ts'
import { recordAudit, recordEvent } from '../store/record.ts'
import type { Tx } from '../store/tables.ts'
import { rotationOf } from './history.ts'
import type { RotationRow } from './rows.ts'
import { eventOf, isOpen, openStatuses, viewOf } from './rows.ts'

export async function confirmRotation(
  { database: { db }, clock }: Pick<PullDeps, 'database' | 'clock'>,
  clusterId: string,
  id: string,
  actor: Actor,
): Promise<RotationView> {
  const now = clock.now()
  return transact(db, async (tx) => {
    const rotation = await rotationOf(tx, clusterId, id)
    // One statement decides, whatever the loop does at the same moment.
    const confirmed = await tx
      .updateTable('pull_secret_rotations')
      .set({ confirmed_at: now, next_attempt_at: null, updated_at: now })
      .where('id', '=', rotation.id)
      .where('status', '=', 'in_progress')
      .where('phase', '=', 'dual')
      .where('confirmed_at', 'is', null)
      .returningAll()
      .executeTakeFirst()
    if (confirmed) {
      await recordAudit(tx, now, { action: 'rotate', actor, clusterId, reason: 'confirmed' })
      return viewOf(confirmed)
    }
    const present = await rotationOf(tx, clusterId, id)
    if (present.confirmed_at && present.status !== 'cancelled') return viewOf(present)
    throw failures.PULL_ROTATION_WRONG_PHASE({
      rotation: id,
      status: present.phase ?? present.status,
      wanted: 'confirmed',
    })
  })
}

export async function cancelRotation(
  deps: PullDeps,
  accounts: Accounts,
  clusterId: string,
  id: string,
  actor: Actor,
): Promise<RotationView> {
  const { database, lock, clock, checkpoint } = deps
  await rotationOf(database.db, clusterId, id)
  return lock.hold(clusterId, async (held) => {
    const cancelled = await transact(database.db, async (tx) => {
      const rotation = await rotationOf(tx, clusterId, id)
      if (rotation.status === 'cancelled') return rotation
      if (!isOpen(rotation) || rotation.flipped_at)
        throw failures.PULL_ROTATION_WRONG_PHASE({
          rotation: id,
          status: isOpen(rotation) ? (rotation.phase ?? rotation.status) : rotation.status,
          wanted: 'cancelled',
        })
      return (await cancelOpenRotation(tx, clock.now(), clusterId, actor)) ?? rotation
    })
    checkpoint('pull.rotation-ended')
    await retireUnserved(deps, accounts, cancelled, held, actor)
    return viewOf(cancelled)
  })
}

export async function cancelOpenRotation(
  tx: Tx,
  now: Date,
  clusterId: string,
  actor: Actor,
): Promise<RotationRow | undefined> {
  const row = await tx
    .updateTable('pull_secret_rotations')
    .set({ status: 'cancelled', cancelled_at: now, next_attempt_at: null, updated_at: now })
    .where('cluster_id', '=', clusterId)
    .where('status', 'in', openStatuses)
    .returningAll()
    .executeTakeFirst()
  if (row) await recordAudit(tx, now, { action: 'rotate', actor, clusterId, reason: 'cancelled' })
  return row
}

export async function failRotation(
  deps: PullDeps,
  accounts: Accounts,
  rotation: RotationRow,
  error: string,
  held: AbortSignal,
  actor: Actor,
): Promise<void> {
  const now = deps.clock.now()
  await transact(deps.database.db, async (tx) => {
    const failed = await tx
      .updateTable('pull_secret_rotations')
      .set((set) => ({
        status: 'failed',
        last_error: error,
        attempts: set('attempts', '+', 1),
        next_attempt_at: null,
        updated_at: now,
      }))
      .where('id', '=', rotation.id)
      .where('status', 'in', openStatuses)
      .returningAll()
      .executeTakeFirst()
    if (!failed) return
    await recordAudit(tx, now, { action: 'rotate', actor, clusterId: rotation.cluster_id, reason: 'failed' })
    await recordEvent(tx, now, eventOf('rotation.failed', failed, actor))
    await recordEvaluation(tx, now, rotation.cluster_id, actor)
  })
  deps.checkpoint('pull.rotation-ended')
  await retireUnserved(deps, accounts, rotation, held, actor)
}

/** What a rotation made and nobody will serve. What does not work now is the expiry loop's. */
async function retireUnserved(
  { database: { db }, log }: PullDeps,
  accounts: Accounts,
  rotation: RotationRow,
  held: AbortSignal,
  actor: Actor,
): Promise<void> {
  const made = await db
    .selectFrom('registry_credentials')
    .selectAll()
    .where('rotation_id', '=', rotation.id)
    .where('state', 'in', ['provisioning', 'staged'])
    .execute()
  for (const credential of made) {
    held.throwIfAborted()
    try {
      await accounts.retire(credential, 'delete', held, actor)
    } catch (error) {
      log.warn({ err: error, credential: credential.id }, 'a credential of an ended rotation is not retired yet')
    }
  }
}
