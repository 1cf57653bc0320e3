import type { Access } from '../../fleet/identity/index.ts'
import type { Caller } from '../../fleet/rest.ts'
import type { Actor } from '../actor.ts'
import { failures } from '../failures.ts'
import type { Registries } from '../registries/entry.ts'
import type { PullSecretService } from '../service.ts'
import type { PullSettings } from '../settings.ts'
import type { Database } from '../store/database.ts'

export interface PullSecretApiDeps {
  service: PullSecretService
  database: Pick<Database, 'db'>
  registries: Registries
  settings: PullSettings
  access: Pick<Access, 'owns' | 'ownerName'>
  /** Of the product, for the page. */
  version: string
}

export const actorOf = ({ name, kind, traceId, traceparent }: Caller): Actor => ({
  name: kind === 'local' ? 'operator:local' : name,
  traceId,
  traceparent,
})

/**
 * What a cluster has is for its owner, and for whoever may work on all. One that is not known is nobody's; to make it is
 * for those who may create.
 */
export async function checkOwner(
  { database: { db }, access }: PullSecretApiDeps,
  caller: Caller,
  cluster: string,
  signal: AbortSignal,
  { mayBeNew = false, mayHaveNone = false }: { mayBeNew?: boolean; mayHaveNone?: boolean } = {},
): Promise<void> {
  const look = async () =>
    await db.selectFrom('pull_secret_clusters').select('owner').where('cluster_id', '=', cluster).executeTakeFirst()
  const known = once(look)
  const ruling = await access.owns(
    caller,
    { id: cluster, owner: async () => (await known())?.owner ?? undefined },
    signal,
  )
  if (ruling === 'unavailable') throw failures.PULL_ACCESS_AWAY({ retryAfterSeconds: 5 })
  if (ruling === 'yes' || (mayBeNew && !(await known()))) return
  if (mayHaveNone && (await known())?.owner === null) return
  throw failures.PULL_NOT_OWNER({ cluster })
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined
  return () => {
    done ??= work()
    return done
  }
}

/** Whose a new cluster is: whoever is no operator makes theirs and nobody else's. */
export function ownerFor({ access }: PullSecretApiDeps, caller: Caller, cluster: string, asked: string | undefined) {
  const own = access.ownerName(caller)
  if (own !== undefined && asked !== undefined && asked !== own) throw failures.PULL_NOT_OWNER({ cluster })
  return own ?? asked
}
