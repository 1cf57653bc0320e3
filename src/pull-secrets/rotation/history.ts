import type { PullDeps } from '../deps.ts'
import { failures } from '../failures.ts'
import type { Page, RotationView } from '../service.ts'
import type { Db, Tx } from '../store/tables.ts'
import type { RotationRow } from './rows.ts'
import { openStatuses, viewOf } from './rows.ts'

const dayMs = 86_400_000
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export async function rotationOf(db: Db | Tx, clusterId: string, id: string): Promise<RotationRow> {
  // What is no UUID would be an error of the database's.
  const row = uuid.test(id)
    ? await db
        .selectFrom('pull_secret_rotations')
        .selectAll()
        .where('id', '=', id)
        .where('cluster_id', '=', clusterId)
        .executeTakeFirst()
    : undefined
  if (!row) throw failures.PULL_NO_ROTATION({ cluster: clusterId, rotation: id })
  return row
}

/** Newest first. What is older than the history is not shown, whether it is removed yet or not. */
export async function listRotations(
  { database: { db }, clock, settings }: Pick<PullDeps, 'database' | 'clock' | 'settings'>,
  clusterId: string,
  { page, size }: { page: number; size: number },
): Promise<Page<RotationView>> {
  const since = new Date(clock.now().getTime() - settings.rotation.historyDays * dayMs)
  const shown = db
    .selectFrom('pull_secret_rotations')
    .where('cluster_id', '=', clusterId)
    .where((where) => where.or([where('created_at', '>=', since), where('status', 'in', openStatuses)]))
  const { total } = await shown.select((select) => select.fn.countAll<string>().as('total')).executeTakeFirstOrThrow()
  if (Number(total) === 0) await checkKnown(db, clusterId)
  const rows = await shown
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(size)
    .offset((page - 1) * size)
    .execute()
  return { items: rows.map(viewOf), page, size, total: Number(total) }
}

async function checkKnown(db: Db, clusterId: string): Promise<void> {
  const known = await db
    .selectFrom('pull_secret_clusters')
    .select('cluster_id')
    .where('cluster_id', '=', clusterId)
    .executeTakeFirst()
  if (!known) throw failures.PULL_NO_CLUSTER({ cluster: clusterId })
}
