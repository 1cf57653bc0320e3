import { sql } from 'kysely'
import { backoffMs } from '../../core/backoff.ts'
import { isFailure } from '../../core/failure.ts'
import type { Accounts, CredentialRow } from '../accounts/index.ts'
import { announceChange } from '../accounts/index.ts'
import type { Actor } from '../actor.ts'
import { clusterFacts } from '../cluster.ts'
import type { PullDeps } from '../deps.ts'
import { recordEvaluation, recordStatus } from '../events/status.ts'
import { transact } from '../store/database.ts'
import { recordAudit, recordEvent } from '../store/record.ts'
import type { RotationTable } from '../store/tables.ts'
import { cancelOpenRotation, failRotation } from './closing.ts'
import type { Step } from './decide.ts'
import { decide } from './decide.ts'
import { flip } from './flip.ts'
import type { Look } from './look.ts'
import { lookAt } from './look.ts'
import type { ClusterRow, RotationRow } from './rows.ts'
import { eventOf, openStatuses } from './rows.ts'

/** Of a rotation that failed somewhere, from one look to the next. */
const backoff = { baseMs: 30_000, maxMs: 1_800_000 }

/** More than any rotation takes; one that wants more is looked at again by the next tick. */
const mostSteps = 32

/**
 * Moves one rotation as far as it goes at present. Whoever calls holds the cluster's lock. Everything is read again before
 * each step, so that whoever was killed at any of them is followed by somebody who knows as much.
 *
 * @returns stuck when it is due as before: somebody else moves it, or it takes too many steps
 */
export async function advance(
  deps: PullDeps,
  accounts: Accounts,
  rotationId: string,
  held: AbortSignal,
  actor: Actor,
): Promise<'rest' | 'stuck'> {
  const troubles = new Map<string, string>()
  for (let steps = 0; steps < mostSteps; steps++) {
    held.throwIfAborted()
    const look = await lookAt(deps, rotationId, new Set(troubles.keys()))
    if (!look) return 'rest'
    const step = decide(look, deps.clock.now(), deps.settings.rotation)
    const end = await perform(step, look)
    if (end !== 'on') return end
  }
  return 'stuck'

  async function perform(step: Step<CredentialRow>, { rotation, cluster }: Look): Promise<'on' | 'rest' | 'stuck'> {
    switch (step.step) {
      case 'nothing':
        return 'rest'
      case 'wait':
        await update(rotation, { next_attempt_at: step.until }, 'evaluated')
        return 'rest'
      case 'retry':
        await retry(rotation)
        return 'rest'
      case 'begin':
        await begin(rotation, step.registries)
        return 'on'
      case 'create':
        await create(rotation, cluster as ClusterRow, step.registries)
        return 'on'
      case 'flip':
        return (await flip(deps, rotation, step, actor)) ? 'on' : 'stuck'
      case 'warn':
        await warn(rotation, step.of)
        return 'on'
      case 'end-grace':
        await update(rotation, { phase: 'revoking', attempts: 0, next_attempt_at: null })
        return 'on'
      case 'retire':
        await retire(step.credentials)
        return 'on'
      case 'complete':
        await complete(rotation)
        return 'rest'
      case 'fail':
        await failRotation(deps, accounts, rotation, told(), held, actor)
        count(rotation, 'failed')
        return 'rest'
      case 'cancel':
        await cancel(rotation)
        return 'rest'
    }
  }

  async function begin(rotation: RotationRow, registries: string[]): Promise<void> {
    const now = deps.clock.now()
    await transact(deps.database.db, async (tx) => {
      const begun = await tx
        .updateTable('pull_secret_rotations')
        .set({ status: 'in_progress', phase: 'creating', registries, updated_at: now })
        .where('id', '=', rotation.id)
        .where('status', '=', 'pending')
        .returningAll()
        .executeTakeFirst()
      if (!begun) return
      // Not served from now on; what generate makes in the meantime is none of these, and stays.
      if (rotation.revoke_first) {
        await tx
          .updateTable('registry_credentials')
          // Nobody needs the token to remove the account, and nothing shall bring it back.
          .set({ state: 'revoking', token: null, key_id: null, updated_at: sql`now()` })
          .where('account_id', '=', rotation.cluster_id)
          .where('registry_id', 'in', registries)
          .where('state', 'in', ['active', 'superseded'])
          .execute()
        await announceChange(tx, now, rotation.cluster_id, actor)
      }
      await recordAudit(tx, now, { action: 'rotate', actor, clusterId: rotation.cluster_id, reason: 'begun' })
      await recordEvent(tx, now, eventOf('rotation.started', begun, actor))
      await recordEvaluation(tx, now, rotation.cluster_id, actor)
    })
    deps.checkpoint('pull.rotation-begun')
  }

  async function create(rotation: RotationRow, cluster: ClusterRow, registries: readonly string[]): Promise<void> {
    // At once: a slow registry shall not make the others wait. Whatever fails, none of them outlives the lock.
    const outcomes = await Promise.allSettled(
      registries.map((registryId) => {
        const wanted = { cluster: clusterFacts(cluster), registryId, as: 'staged' as const, rotationId: rotation.id }
        return accounts.issue(wanted, held, actor)
      }),
    )
    for (const [at, outcome] of outcomes.entries())
      if (outcome.status === 'rejected') trouble(registries[at] as string, outcome.reason)
  }

  async function retire(credentials: readonly CredentialRow[]): Promise<void> {
    for (const credential of credentials) {
      held.throwIfAborted()
      const { registry_id } = credential
      const end = await accounts
        .retire(credential, 'delete', held, actor)
        .catch((error: unknown) => trouble(registry_id, error))
      if (end === 'pending') troubles.set(registry_id, `${registry_id}: not removed yet`)
    }
  }

  function trouble(registryId: string, error: unknown): void {
    // Without the lock or the database nothing that is known here may be written down.
    if (held.aborted || isFailure(error, 'PULL_DATABASE_AWAY')) throw error
    deps.log.warn({ err: error, rotation: rotationId, registry: registryId }, 'a rotation met a failure')
    troubles.set(registryId, `${registryId}: ${isFailure(error) ? error.code : 'INTERNAL'}`)
  }

  function told(): string {
    return [...troubles.values()].sort().join('; ')
  }

  async function retry(rotation: RotationRow): Promise<void> {
    const waitMs = backoffMs(rotation.attempts, backoff, deps.random)
    const next_attempt_at = new Date(deps.clock.now().getTime() + waitMs)
    const values = { attempts: rotation.attempts + 1, last_error: told(), next_attempt_at }
    await update(rotation, values, 'registry-unavailable')
  }

  async function warn(rotation: RotationRow, of: 'deadline' | 'held'): Promise<void> {
    const now = deps.clock.now()
    await transact(deps.database.db, async (tx) => {
      const warned = await tx
        .updateTable('pull_secret_rotations')
        .set({ warned_at: now, updated_at: now })
        .where('id', '=', rotation.id)
        .where('phase', '=', 'dual')
        .where('status', 'in', openStatuses)
        .returningAll()
        .executeTakeFirst()
      if (!warned) return
      await recordEvent(tx, now, eventOf('rotation.warning', warned, actor, { about: of }))
    })
  }

  async function complete(rotation: RotationRow): Promise<void> {
    const now = deps.clock.now()
    await transact(deps.database.db, async (tx) => {
      const completed = await tx
        .updateTable('pull_secret_rotations')
        .set({
          status: 'completed',
          phase: null,
          completed_at: now,
          next_attempt_at: null,
          last_error: null,
          updated_at: now,
        })
        .where('id', '=', rotation.id)
        .where('status', 'in', openStatuses)
        .returningAll()
        .executeTakeFirst()
      if (!completed) return
      await recordAudit(tx, now, { action: 'rotate', actor, clusterId: rotation.cluster_id, reason: 'completed' })
      await recordEvent(tx, now, eventOf('rotation.completed', completed, actor))
      await recordEvaluation(tx, now, rotation.cluster_id, actor)
    })
    deps.checkpoint('pull.rotation-ended')
    count(rotation, 'completed')
  }

  /** Whoever blocked the cluster ends its credentials; the expiry loop takes what they did not know of. */
  async function cancel(rotation: RotationRow): Promise<void> {
    const now = deps.clock.now()
    await transact(deps.database.db, (tx) => cancelOpenRotation(tx, now, rotation.cluster_id, actor))
    deps.checkpoint('pull.rotation-ended')
    count(rotation, 'cancelled')
  }

  async function update(
    rotation: RotationRow,
    values: Partial<RotationTableValues>,
    tell?: 'evaluated' | 'registry-unavailable',
  ): Promise<void> {
    const now = deps.clock.now()
    await transact(deps.database.db, async (tx) => {
      await tx
        .updateTable('pull_secret_rotations')
        .set({ ...values, updated_at: now })
        .where('id', '=', rotation.id)
        .where('status', 'in', openStatuses)
        // Who confirmed since we looked has asked for the next look to be now.
        .where('confirmed_at', 'is not distinct from', rotation.confirmed_at)
        .execute()
      if (tell === 'evaluated') await recordEvaluation(tx, now, rotation.cluster_id, actor)
      if (tell === 'registry-unavailable') await recordStatus(tx, now, rotation.cluster_id, tell, actor)
    })
  }

  function count(rotation: RotationRow, result: 'completed' | 'failed' | 'cancelled'): void {
    rotationsEnded(deps).inc({ reason: rotation.reason, result })
  }
}

type RotationTableValues = Pick<RotationTable, 'phase' | 'last_error' | 'next_attempt_at'> & { attempts: number }

export const rotationsEnded = ({ metrics }: Pick<PullDeps, 'metrics'>) =>
  metrics.counter('lanyard_pull_rotations_total', 'Rotations that ended, by why they began and how they ended', {
    reason: ['scheduled', 'compromise', 'manual'],
    result: ['completed', 'failed', 'cancelled'],
  })
