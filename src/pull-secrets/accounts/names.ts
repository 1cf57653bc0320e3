import type { ClusterFacts } from '../cluster.ts'
import type { RegistryEntry } from '../registries/entry.ts'
import type { NameRequest, RegistryDriver } from '../registries/registry.ts'
import type { Db, Tx } from '../store/tables.ts'
import type { CredentialRow } from './contract.ts'

/** One that no credential of the cluster at this registry ever had, be it long gone. */
export async function nextGeneration(db: Db | Tx, clusterId: string, registryId: string): Promise<number> {
  const { highest } = await db
    .selectFrom((from) =>
      from
        .selectFrom('registry_credentials')
        .select('generation')
        .where('account_id', '=', clusterId)
        .where('registry_id', '=', registryId)
        .unionAll(
          from
            .selectFrom('credential_intents')
            .select('generation')
            .where('cluster_id', '=', clusterId)
            .where('registry_id', '=', registryId),
        )
        .as('known'),
    )
    .select((of) => of.fn.max('known.generation').as('highest'))
    .executeTakeFirstOrThrow()
  return highest === null ? 0 : Number(highest) + 1
}

export interface ChosenName {
  name: string
  generation: number
}

/** A name that we have never used at this registry, not even for another cluster: who bears it would be unclear. */
export async function chooseName(
  db: Db | Tx,
  driver: RegistryDriver,
  cluster: ClusterFacts | undefined,
): Promise<ChosenName> {
  let generation = cluster ? await nextGeneration(db, cluster.id, driver.id) : 0
  for (;;) {
    const name = driver.nameFor({ ...(cluster && { cluster }), generation })
    const known = await db
      .selectFrom('credential_intents')
      .select('id')
      .where('registry_id', '=', driver.id)
      .where('external_name', '=', name)
      .limit(1)
      .executeTakeFirst()
    if (!known) return { name, generation }
    generation += 1
  }
}

/** Whether somebody else could have come to the same name: it is not drawn by chance. */
export const isGuessable = (driver: RegistryDriver, name: string, request: NameRequest): boolean =>
  driver.nameFor(request) === name

/**
 * Whether the stored name may be sent, and the row agrees with itself on whose it is. The username is never taken apart
 * to get a name, but where the two contradict each other nobody knows which account is meant, and none is removed.
 */
export const isTrustworthy = (
  row: Pick<CredentialRow, 'external_name' | 'username'>,
  driver: RegistryDriver,
  type: RegistryEntry['type'],
): boolean => driver.isSafeName(row.external_name) && (type === 'Generic' || row.username.includes(row.external_name))
