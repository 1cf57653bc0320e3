import { sql } from 'kysely'
import { isFailure } from '../../core/failure.ts'
import type { Accounts, CredentialRow } from '../accounts/index.ts'
import type { Actor } from '../actor.ts'
import type { ClusterFacts } from '../cluster.ts'
import type { PullDeps } from '../deps.ts'
import { recordStatus } from '../events/status.ts'
import { failures } from '../failures.ts'
import type { Pool } from '../pool/contract.ts'
import type { RegistryEntry } from '../registries/entry.ts'
import { transact } from '../store/database.ts'
import { recordEvent } from '../store/record.ts'
import type { Tx } from '../store/tables.ts'
import type { CheckedRequest } from './input.ts'

export interface MakeDeps extends PullDeps {
  accounts: Accounts
  pool: Pool
}

/**
 * Makes what a cluster lacks, under its lock. What was made stays when something else fails: the next call uses it. Until
 * all of it is there nothing is served: the generation of the cluster counts complete documents only, and what those
 * needed the later ones need too.
 */
export async function make(
  deps: MakeDeps,
  { cluster, sources }: CheckedRequest,
  held: AbortSignal,
  actor: Actor,
): Promise<{ created: boolean }> {
  const { database } = deps
  const missing = await lacking(deps, cluster, sources)
  await transact(database.db, (tx) => enter(tx, deps, cluster))
  const outcomes = await Promise.allSettled(missing.map((source) => obtain(deps, cluster, source, held, actor)))
  const made = outcomes.filter(({ status }) => status === 'fulfilled')
  const failed = missing.flatMap((source, at) => {
    const outcome = outcomes[at]
    return outcome?.status === 'rejected' ? [{ source, error: outcome.reason as unknown }] : []
  })
  const servedNow = sources.length - failed.length
  const fatal = failed.find(({ source }) => source.required) ?? (servedNow === 0 ? failed[0] : undefined)
  if (fatal) {
    await reportTrouble(deps, cluster.id, fatal.error, actor)
    throw fatal.error
  }
  for (const { source, error } of failed)
    deps.log.warn(
      { err: error, registry: source.id, cluster: cluster.id },
      'a registry that is not required was left out',
    )
  const isFirst = await transact(database.db, (tx) => serve(tx, deps, { cluster, sources }, made.length > 0, actor))
  return { created: made.length > 0 || isFirst }
}

/** Those without a credential that could be served. Nothing is called while one of them has no legal name. */
async function lacking(
  { database, registries }: MakeDeps,
  cluster: ClusterFacts,
  sources: readonly RegistryEntry[],
): Promise<readonly RegistryEntry[]> {
  const there = await database.db
    .selectFrom('registry_credentials')
    .select('registry_id')
    .where('account_id', '=', cluster.id)
    .where('state', 'in', ['active', 'superseded'])
    .execute()
  const missing = sources.filter(({ id }) => !there.some((row) => row.registry_id === id))
  for (const { id } of missing) registries.driver(id).nameFor({ cluster, generation: 0 })
  return missing
}

/** What is new about the cluster is written down; whoever owns it first keeps it. */
async function enter(tx: Tx, { settings }: MakeDeps, cluster: ClusterFacts): Promise<void> {
  const suspension = await tx
    .selectFrom('cluster_suspensions')
    .select('phase')
    .where('cluster_id', '=', cluster.id)
    .executeTakeFirst()
  if (suspension) throw failures.PULL_SUSPENDED({ cluster: cluster.id })
  const { deleting_at } = await tx
    .insertInto('pull_secret_clusters')
    .values({
      cluster_id: cluster.id,
      hyperfleet_instance_id: settings.instanceId,
      cloud_provider: cluster.cloudProvider,
      region: cluster.region,
      external_resource_id: cluster.externalResourceId ?? null,
      owner: cluster.owner ?? null,
    })
    .onConflict((conflict) =>
      conflict.column('cluster_id').doUpdateSet((of) => ({
        cloud_provider: of.ref('excluded.cloud_provider'),
        region: of.ref('excluded.region'),
        external_resource_id: sql`coalesce(excluded.external_resource_id, pull_secret_clusters.external_resource_id)`,
        owner: sql`coalesce(pull_secret_clusters.owner, excluded.owner)`,
        updated_at: sql`now()`,
      })),
    )
    .returning('deleting_at')
    .executeTakeFirstOrThrow()
  if (deleting_at) throw failures.PULL_DELETING({ cluster: cluster.id })
}

const obtain = async (
  { accounts, pool }: MakeDeps,
  cluster: ClusterFacts,
  { id: registryId }: RegistryEntry,
  held: AbortSignal,
  actor: Actor,
): Promise<CredentialRow> =>
  (await pool.take(cluster, registryId, actor)) ??
  (await accounts.issue({ cluster, registryId, as: 'active' }, held, actor))

/** @returns whether it is the first document of the cluster */
async function serve(
  tx: Tx,
  { registries, clock }: MakeDeps,
  { cluster: { id: clusterId }, sources }: CheckedRequest,
  isChanged: boolean,
  actor: Actor,
): Promise<boolean> {
  const now = clock.now()
  await need(tx, clusterId, {
    asked: sources.filter(({ required }) => required).map(({ id }) => id),
    known: registries.sources.map(({ id }) => id),
  })
  const changed = await tx
    .updateTable('pull_secret_clusters')
    .set({ generation: sql`generation + 1`, updated_at: sql`now()` })
    .where('cluster_id', '=', clusterId)
    .$if(!isChanged, (query) => query.where('generation', '=', 0))
    .returning('generation')
    .executeTakeFirst()
  if (changed) {
    const type = changed.generation === 1 ? 'generated' : 'updated'
    await recordEvent(tx, now, { channel: 'event', type, clusterId, data: { generation: changed.generation }, actor })
  }
  await recordStatus(tx, now, clusterId, 'delivered', actor)
  return changed?.generation === 1
}

/** From now on only a document with these is a whole one; what the installation has no more is forgotten. */
async function need(
  tx: Tx,
  clusterId: string,
  { asked, known }: Record<'asked' | 'known', readonly string[]>,
): Promise<void> {
  await tx
    .updateTable('pull_secret_clusters')
    .set({
      needed_registries: sql<string[]>`array(select id from unnest(needed_registries || ${asked}::text[]) as id
        where id = any (${known}::text[]) group by id order by id)`,
    })
    .where('cluster_id', '=', clusterId)
    .execute()
}

async function reportTrouble({ database, clock }: MakeDeps, clusterId: string, error: unknown, actor: Actor) {
  if (!isFailure(error) || !error.code.startsWith('REGISTRY_')) return
  await transact(database.db, (tx) => recordStatus(tx, clock.now(), clusterId, 'registry-unavailable', actor))
}
