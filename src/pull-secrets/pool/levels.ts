import type { PullDeps } from '../deps.ts'
import type { PoolView } from '../service.ts'
import type { PoolSettings } from '../settings.ts'
import type { Db } from '../store/tables.ts'

export interface Level {
  /** To be given away. */
  size: number
  /** On their way: they have a place in the pool already. */
  coming: number
}

export async function levelOf(db: Db, registryId: string): Promise<Level> {
  const rows = await db
    .selectFrom('registry_credentials')
    .select(['state', (select) => select.fn.countAll<string>().as('count')])
    .where('account_id', 'is', null)
    .where('registry_id', '=', registryId)
    .where('state', 'in', ['active', 'provisioning'])
    .groupBy('state')
    .execute()
  const count = (state: string) => Number(rows.find((row) => row.state === state)?.count ?? 0)
  return { size: count('active'), coming: count('provisioning') }
}

/** How many more there may be in this tick. */
export const roomFor = ({ size, coming }: Level, { high, batch }: PoolSettings, made: number): number =>
  Math.max(0, Math.min(high - size - coming, batch - made))

export const viewOfPool = (registryId: string, { size }: Level, settings: PoolSettings | undefined): PoolView => ({
  registryId,
  size,
  high: settings?.high ?? 0,
  low: settings?.low ?? 0,
  isLow: settings !== undefined && size < settings.low,
})

export function poolMetrics({ metrics, registries }: Pick<PullDeps, 'metrics' | 'registries'>) {
  const registry = registries.sources.map(({ id }) => id)
  return {
    size: metrics.gauge('lanyard_pull_pool_items', 'Credentials that wait for a cluster', { registry }),
    low: metrics.gauge('lanyard_pull_pool_low_state', '1 while the pool is below its low mark', { registry }),
    alerts: metrics.counter('lanyard_pull_pool_low_total', 'Times that the pool was told to be low', { registry }),
    assigned: metrics.counter('lanyard_pull_pool_assign_total', 'Credentials asked of the pool, by what came of it', {
      result: ['hit', 'miss'],
    }),
  }
}
export type PoolMetrics = ReturnType<typeof poolMetrics>
