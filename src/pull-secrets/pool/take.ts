import { sql } from 'kysely'
import type { CredentialRow } from '../accounts/index.ts'
import { nextGeneration } from '../accounts/index.ts'
import { isBlocked } from '../accounts/keep.ts'
import type { Actor } from '../actor.ts'
import type { ClusterFacts } from '../cluster.ts'
import type { PullDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import type { PoolSettings } from '../settings.ts'
import { transact } from '../store/database.ts'
import { recordAudit } from '../store/record.ts'
import { isDuplicate } from '../store/trouble.ts'

const dayMs = 86_400_000

/** Everything issued before that has waited too long to be given away. */
export const idleSince = (now: Date, { maxIdleDays }: PoolSettings): Date =>
  new Date(now.getTime() - maxIdleDays * dayMs)

/** The oldest that nobody else is taking at this moment. */
export async function take(
  { database: { db }, clock, settings, checkpoint }: PullDeps,
  pool: PoolSettings,
  cluster: ClusterFacts,
  registryId: string,
  actor: Actor,
): Promise<CredentialRow | undefined> {
  const now = clock.now()
  const taken = await transact(db, async (tx) => {
    if (await isBlocked(tx, cluster.id)) throw failures.PULL_SUSPENDED({ cluster: cluster.id })
    const free = await tx
      .selectFrom('registry_credentials')
      .select('id')
      .where('account_id', 'is', null)
      .where('state', '=', 'active')
      .where('registry_id', '=', registryId)
      .where('hyperfleet_instance_id', '=', settings.instanceId)
      .where('issued_at', '>', idleSince(now, pool))
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
      .orderBy('issued_at')
      .orderBy('id')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (!free) return undefined
    const row = await tx
      .updateTable('registry_credentials')
      .set({
        account_id: cluster.id,
        external_resource_id: cluster.externalResourceId || null,
        generation: await nextGeneration(tx, cluster.id, registryId),
        updated_at: sql`now()`,
      })
      .where('id', '=', free.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordAudit(tx, now, {
      action: 'assign',
      actor,
      clusterId: cluster.id,
      credentialId: row.id,
      registryId,
    })
    return row
  }).catch((error: unknown) => {
    // Two at once can only be when one of them has lost the lock.
    throw isDuplicate(error) ? failures.PULL_BUSY({ cluster: cluster.id, retryAfterSeconds: 1 }, error) : error
  })
  if (taken) checkpoint('pull.assigned')
  return taken
}
