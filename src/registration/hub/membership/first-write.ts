import { finalizers } from '../../../fleet/names.ts'
import type { HubSettings } from '../deps.ts'
import type { Cluster } from './context.ts'
import { hasFinalizer, phaseOf } from './phase.ts'
import { whyReserved } from './reserved-names.ts'

/**
 * Whether the membership is about to write to this cluster for the first time. It takes the taints along: two writes at
 * the same moment would cost one more, and one of the two would meet a newer version.
 */
export function awaitsFirstWrite(cluster: Cluster, { namespace }: Pick<HubSettings, 'namespace'>): boolean {
  const phase = phaseOf(cluster)
  if (hasFinalizer(cluster, finalizers.resourceCleanup) || (phase !== 'new' && phase !== 'accepted')) return false
  return whyReserved(cluster.metadata.name, namespace) === undefined
}
