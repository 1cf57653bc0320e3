import { randomBytes, randomUUID } from 'node:crypto'
import type pg from 'pg'
import { Secret } from '../../src/core/secret.ts'
import type { TokenVault } from '../../src/pull-secrets/keys/index.ts'

export const clusterName = (number: number): string => `cluster-${number}`
export const registries = ['quay', 'redhat']
const instanceId = 'default'
const batch = 5_000

/** Clusters with a credential at each registry, sealed as the service seals them, without the calls to make them. */
export async function seedFleet(pool: pg.Pool, vault: TokenVault, clusters: number): Promise<void> {
  for (let from = 0; from < clusters; from += batch) {
    const names = Array.from({ length: Math.min(batch, clusters - from) }, (_, number) => clusterName(from + number))
    await pool.query(
      `INSERT INTO pull_secret_clusters (cluster_id, hyperfleet_instance_id, cloud_provider, region, generation)
         SELECT name, $2, 'gcp', 'us-east1', 1 FROM unnest($1::text[]) AS name`,
      [names, instanceId],
    )
    const rows = names.flatMap((cluster) => registries.map((registry) => credentialOf(vault, cluster, registry)))
    const column = (read: (row: (typeof rows)[number]) => unknown) => rows.map(read)
    await pool.query(
      `INSERT INTO registry_credentials
           (id, username, token, key_id, account_id, registry_id, external_name, hyperfleet_instance_id, state, issued_at)
         SELECT *, $8, 'active', now()
         FROM unnest($1::uuid[], $2::text[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[])`,
      [
        column(({ id }) => id),
        column(({ name }) => `bench|${name}`),
        column(({ sealed }) => sealed.token),
        column(({ sealed }) => sealed.keyId),
        column(({ cluster }) => cluster),
        column(({ registry }) => registry),
        column(({ name }) => name),
        instanceId,
      ],
    )
  }
  await settle(pool)
}

/** As long as Quay's. */
const tokenBytes = 48

function credentialOf(vault: TokenVault, cluster: string, registry: string) {
  const id = randomUUID()
  const token = Secret.of(randomBytes(tokenBytes).toString('base64url'))
  const sealed = vault.seal({ credentialId: id, registryId: registry, instanceId }, token)
  return { id, name: `${registry}-${cluster}`, sealed, cluster, registry }
}

/** Rows to be listed, numbered from `from` on; the higher the number, the older. Nobody opens their tokens: they have none. */
export async function seedRows(pool: pg.Pool, from: number, to: number): Promise<void> {
  const most = 100_000
  for (let first = from; first < to; first += most)
    await pool.query(
      `INSERT INTO registry_credentials
           (id, username, account_id, registry_id, external_name, hyperfleet_instance_id, state, created_at, issued_at)
         SELECT gen_random_uuid(), 'robot-' || n, 'cluster-' || n / 2, CASE n % 2 WHEN 0 THEN 'quay' ELSE 'redhat' END,
             'robot-' || n, $3, 'active', now() - n * interval '1 second', now()
           FROM generate_series($1::int, $2::int) AS n`,
      [first, Math.min(first + most, to) - 1, instanceId],
    )
  await settle(pool)
}

/** What the server does by itself some minutes later, so that it does not do it in the middle of a measurement. */
async function settle(pool: pg.Pool): Promise<void> {
  await pool.query('VACUUM (ANALYZE) registry_credentials')
  await pool.query('VACUUM (ANALYZE) pull_secret_clusters')
  await pool.query('CHECKPOINT')
}
