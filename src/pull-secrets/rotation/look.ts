import type { CredentialRow } from '../accounts/index.ts'
import type { PullDeps } from '../deps.ts'
import type { Situation } from './decide.ts'
import type { ClusterRow, RotationRow } from './rows.ts'

/** Everything that the next step of a rotation depends on, as it is on record now. */
export interface Look extends Situation<CredentialRow> {
  rotation: RotationRow
  cluster?: ClusterRow
}

export async function lookAt(
  deps: PullDeps,
  rotationId: string,
  failed: ReadonlySet<string>,
): Promise<Look | undefined> {
  const { db } = deps.database
  const rotation = await db
    .selectFrom('pull_secret_rotations')
    .selectAll()
    .where('id', '=', rotationId)
    .executeTakeFirst()
  if (!rotation) return undefined
  const clusterId = rotation.cluster_id
  const [cluster, suspension, credentials] = await Promise.all([
    db.selectFrom('pull_secret_clusters').selectAll().where('cluster_id', '=', clusterId).executeTakeFirst(),
    db.selectFrom('cluster_suspensions').select('phase').where('cluster_id', '=', clusterId).executeTakeFirst(),
    db.selectFrom('registry_credentials').selectAll().where('account_id', '=', clusterId).execute(),
  ])
  return {
    rotation,
    credentials,
    registries: new Map(deps.registries.sources.map(({ id, required }) => [id, { required }])),
    isBlocked: !cluster || cluster.deleting_at !== null || suspension !== undefined,
    failed,
    ...(cluster && { cluster }),
  }
}
