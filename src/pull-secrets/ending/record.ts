import type { CredentialRow } from '../accounts/index.ts'
import type { RegistryProgress } from '../service.ts'
import type { Db, Tx } from '../store/tables.ts'

export const rowsOf = (db: Db | Tx, clusterId: string): Promise<CredentialRow[]> =>
  db
    .selectFrom('registry_credentials')
    .selectAll()
    .where('account_id', '=', clusterId)
    .orderBy('generation', 'desc')
    .execute()

export const clusterRow = (db: Db | Tx, clusterId: string) =>
  db.selectFrom('pull_secret_clusters').selectAll().where('cluster_id', '=', clusterId).executeTakeFirst()

export const suspensionRow = (db: Db | Tx, clusterId: string) =>
  db.selectFrom('cluster_suspensions').selectAll().where('cluster_id', '=', clusterId).executeTakeFirst()

/** A registry is done when all of its accounts are. */
export function progressOf(outcomes: readonly { registryId: string; outcome: 'gone' | 'pending' }[]): RegistryProgress {
  const byRegistry = Map.groupBy(outcomes, ({ registryId }) => registryId)
  return Object.fromEntries(
    [...byRegistry].map(([id, all]) => [id, all.every(({ outcome }) => outcome === 'gone') ? 'done' : 'pending']),
  )
}

export const isDone = (progress: RegistryProgress): boolean =>
  Object.values(progress).every((state) => state === 'done')
