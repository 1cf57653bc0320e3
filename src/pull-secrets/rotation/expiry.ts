import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Accounts } from '../accounts/index.ts'
import { loopActor } from '../actor.ts'
import type { PullDeps } from '../deps.ts'
import type { Loop } from '../loop.ts'
import type { CredentialTable, Db } from '../store/tables.ts'
import { eachOf } from './each-of.ts'
import { purge } from './purge.ts'
import { openStatuses } from './rows.ts'

const batch = 100
const width = 2

type Stale = Pick<Selectable<CredentialTable>, 'id' | 'account_id' | 'registry_id'>

/** Removes what nobody is served any more, outside first; then old records. */
export function expiryLoop(deps: PullDeps, accounts: Accounts): Loop {
  const actor = loopActor('expiry')
  const { db } = deps.database

  async function end({ id, account_id, registry_id }: Stale, held: AbortSignal): Promise<void> {
    // Somebody may have come first, so whether it is stale is asked again under the lock.
    const [row] = await staleCredentials(db, deps.clock.now(), { id })
    if (!row) return
    const credential = await db.selectFrom('registry_credentials').selectAll().where('id', '=', id).executeTakeFirst()
    if (!credential) return
    const result = await accounts.retire(credential, 'delete', held, actor)
    deps.log.info({ credential: id, cluster: account_id, registry: registry_id, result }, 'a credential has expired')
  }

  return {
    name: 'expiry',
    everyMs: deps.settings.loops.expiryMs,
    async tick(signal) {
      const stale = await staleCredentials(db, deps.clock.now(), { limit: batch })
      const byLock = Map.groupBy(stale, (one) => one.account_id ?? `pool/${one.registry_id}`)
      // Whom somebody else works on is left to the next tick.
      await eachOf(byLock, width, signal, async ([name, credentials]) => {
        const failed = (error: unknown) => {
          if (signal.aborted) return
          deps.log.error({ err: error, lock: name }, 'a credential that expired is not removed yet')
        }
        const work = async (held: AbortSignal) => {
          const until = AbortSignal.any([held, signal])
          for (const one of credentials) if (!until.aborted) await end(one, until).catch(failed)
        }
        await deps.lock.tryHold(name, work).catch(failed)
      })
      await purge(deps, signal)
    },
  }
}

/**
 * - past its end at the registry, and not what its cluster is served: what is served is renewed by a rotation, late or not
 * - superseded, and its rotation is over: the grace is too
 * - made by a rotation that has ended without it
 * - marked to go by somebody who was killed before they wrote down how
 * Those of suspended clusters are the suspension's, those of deleted ones the deletion's.
 */
async function staleCredentials(
  db: Db,
  now: Date,
  { id, limit = 1 }: { id?: string; limit?: number },
): Promise<Stale[]> {
  const openOf = (ref: 'cluster_id' | 'id', column: 'c.account_id' | 'c.rotation_id') =>
    sql<boolean>`exists (select 1 from pull_secret_rotations p
      where ${sql.ref(`p.${ref}`)} = ${sql.ref(column)} and p.status in (${sql.join(openStatuses)}))`
  const hasIntent = sql<boolean>`exists (select 1 from credential_intents i
    where i.credential_id = c.id and i.phase in ('planned', 'external_done', 'compensating'))`
  return db
    .selectFrom('registry_credentials as c')
    .select(['c.id', 'c.account_id', 'c.registry_id'])
    .where((where) =>
      where.or([
        where.and([
          where('c.expires_at', '<=', now),
          where.or([
            where('c.state', '=', 'superseded'),
            where.and([where('c.state', '=', 'active'), where('c.account_id', 'is', null)]),
          ]),
        ]),
        where.and([where('c.state', '=', 'superseded'), where.not(openOf('cluster_id', 'c.account_id'))]),
        where.and([
          where('c.state', 'in', ['staged', 'provisioning']),
          where('c.rotation_id', 'is not', null),
          where.not(openOf('id', 'c.rotation_id')),
        ]),
        where.and([where('c.state', '=', 'revoking'), where.not(hasIntent)]),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('cluster_suspensions as s').select('s.cluster_id').whereRef('s.cluster_id', '=', 'c.account_id'),
        ),
      ),
    )
    .$if(id !== undefined, (query) => query.where('c.id', '=', id as string))
    .orderBy('c.updated_at')
    .limit(limit)
    .execute()
}
