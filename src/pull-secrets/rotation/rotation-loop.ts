import { sql } from 'kysely'
import { isFailure } from '../../core/failure.ts'
import { loopActor } from '../actor.ts'
import type { PullDeps } from '../deps.ts'
import type { Loop } from '../loop.ts'
import { advance } from './advance.ts'
import type { RotationAccounts } from './contract.ts'
import { eachOf } from './each-of.ts'
import { isImmediate, openStatuses } from './rows.ts'

const batch = 100
/** Of the lock connections: each cluster that is rotated keeps one, and requests need some too. */
const share = 0.4

/** Moves every open rotation that is due. */
export function rotationLoop(deps: PullDeps, { urgent, usual }: RotationAccounts): Loop {
  const actor = loopActor('rotation')
  const width = Math.max(1, Math.floor(deps.database.locks.options.max * share))
  return {
    name: 'rotation',
    everyMs: deps.settings.loops.rotationMs,
    async tick(signal) {
      // Only what did not get on: a tick of a whole fleet takes hours, and who confirms meanwhile is not to wait for its end.
      const stuck: string[] = []
      while (!signal.aborted) {
        const due = await dueRotations(deps, stuck)
        if (due.length === 0) return
        await eachOf(due, width, signal, async (rotation) => {
          const { id, cluster_id } = rotation
          const isUrgent = isImmediate(rotation)
          // What can wait for the next tick keeps no connection that a request needs.
          const lock = isUrgent ? deps.lock.hold : deps.lock.tryHold
          try {
            const end = await lock(cluster_id, (held) =>
              advance(deps, isUrgent ? urgent : usual, id, AbortSignal.any([held, signal]), actor),
            )
            if (end !== 'rest') stuck.push(id)
          } catch (error) {
            stuck.push(id)
            if (signal.aborted) return
            // One cluster's trouble is no other's.
            const level = isFailure(error, 'PULL_BUSY') ? 'debug' : 'error'
            deps.log[level]({ err: error, cluster: cluster_id, rotation: id }, 'a rotation did not move')
          }
        })
      }
    },
  }
}

/** A compromise first, then who waits longest. */
async function dueRotations({ database: { db }, clock }: PullDeps, stuck: readonly string[]) {
  return db
    .selectFrom('pull_secret_rotations')
    .select(['id', 'cluster_id', 'reason', 'force_immediate'])
    .where('status', 'in', openStatuses)
    .where((where) => where.or([where('next_attempt_at', 'is', null), where('next_attempt_at', '<=', clock.now())]))
    .where(sql<boolean>`id <> all(${stuck}::uuid[])`)
    .orderBy((order) => order.or([order('force_immediate', '=', true), order('reason', '=', 'compromise')]), 'desc')
    .orderBy('next_attempt_at', (order) => order.asc().nullsFirst())
    .orderBy('id')
    .limit(batch)
    .execute()
}
