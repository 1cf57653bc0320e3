import { isFailure } from '../../core/failure.ts'
import type { PullDeps } from '../deps.ts'
import type { Hyperfleet } from './hyperfleet.ts'
import type { OutboxRow, Told } from './outbox.ts'
import type { RecordedStatus } from './status.ts'

/** The body of a report. `observed_generation` is the API's own count of changes to the cluster, not one of ours. */
export const reportBody = (recorded: RecordedStatus, observedGeneration: number, attempt: number): object => ({
  adapter: 'pull-secret',
  observed_generation: observedGeneration,
  observed_time: recorded.observedTime,
  conditions: recorded.conditions,
  data: {
    credential_generation: recorded.credentialGeneration,
    registries: recorded.registries,
    secret_references: recorded.deliveries,
    ...(recorded.rotation && { rotation_id: recorded.rotation.id, rotation_phase: recorded.rotation.phase }),
  },
  metadata: { attempt },
})

/** Sends one recorded report. A cluster that the API does not know has nobody to report to. */
export async function sendStatus(
  row: OutboxRow,
  { database, log }: Pick<PullDeps, 'database' | 'log'>,
  api: Hyperfleet,
  signal: AbortSignal,
): Promise<Told> {
  const clusterId = row.cluster_id
  if (clusterId === null) return 'dropped'
  const generation = await observedGeneration(clusterId, database, api, signal)
  if (generation === undefined) return 'dropped'
  try {
    await api.report(clusterId, reportBody(row.data as unknown as RecordedStatus, generation, row.attempts), signal)
    return 'told'
  } catch (error) {
    if (!isFailure(error, 'STATUS_REFUSED')) throw error
    log.warn({ err: error, cluster: clusterId }, 'a report was refused for good')
    return 'dropped'
  }
}

/** As an event told it; where none has come yet, the API is asked. */
async function observedGeneration(
  clusterId: string,
  { db }: PullDeps['database'],
  api: Hyperfleet,
  signal: AbortSignal,
): Promise<number | undefined> {
  const heard = await db
    .selectFrom('cluster_observations')
    .select('generation')
    .where('cluster_id', '=', clusterId)
    .executeTakeFirst()
  return heard?.generation ?? (await api.cluster(clusterId, signal))?.generation
}
