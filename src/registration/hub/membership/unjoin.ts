import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { annotations } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'

/**
 * When a cluster whose own agent took it off the hub is to go; undefined for any other. A denial by an administrator
 * carries no such mark and lasts.
 */
export function sweepAt({ metadata, spec }: Stored<ManagedCluster>, graceMs: number): Date | undefined {
  const unjoinedAt = metadata.annotations?.[annotations.unjoinedAt]
  if (spec?.hubAcceptsClient || metadata.deletionTimestamp || unjoinedAt === undefined) return undefined
  const since = Date.parse(unjoinedAt)
  return Number.isNaN(since) ? undefined : new Date(since + graceMs)
}
