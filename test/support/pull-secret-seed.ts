import { randomUUID } from 'node:crypto'
import type { PullSecretScene } from './pull-secret-scene.ts'

export interface SeedOptions {
  /** From the present of the scene's clock on. */
  withinMs: number
  registries?: readonly string[]
}

/** Clusters with a set each, without the calls that it takes to make one. */
export async function seedClusters(
  { database: { db }, clock }: Pick<PullSecretScene, 'database' | 'clock'>,
  count: number,
  { withinMs, registries = ['quay', 'redhat'] }: SeedOptions,
): Promise<void> {
  const clusters = Array.from({ length: count }, (_, at) => ({ id: `cls-${at}`, at }))
  await db
    .insertInto('pull_secret_clusters')
    .values(
      clusters.map(({ id }) => ({
        cluster_id: id,
        hyperfleet_instance_id: 'default',
        cloud_provider: 'gcp',
        region: 'us-east1',
        generation: 1,
      })),
    )
    .execute()
  for (const registry_id of registries)
    await db
      .insertInto('registry_credentials')
      .values(
        clusters.map(({ id, at }) => ({
          id: randomUUID(),
          username: `old-${id}`,
          external_name: `old-${id}`,
          account_id: id,
          registry_id,
          hyperfleet_instance_id: 'default',
          state: 'active' as const,
          generation: 0,
          issued_at: new Date(clock.now().getTime() + (withinMs * at) / count),
        })),
      )
      .execute()
}
