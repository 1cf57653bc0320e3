import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { ConditionStatus } from '../../../core/conditions.ts'
import { findCondition } from '../../../core/conditions.ts'
import { done } from '../../../core/outcome.ts'
import { conditions, taints } from '../../../fleet/names.ts'
import type { Controller } from '../../../kube/controller.ts'
import { controller } from '../../../kube/controller.ts'
import type { Stored } from '../../../kube/objects.ts'
import { changesOf, watching } from '../../../kube/watching.ts'
import type { HubDeps } from '../deps.ts'

type Taint = NonNullable<NonNullable<ManagedCluster['spec']>['taints']>[number]

/**
 * Keeps the two taints about a cluster's health as its availability is.
 * @param isLeft those whose taints somebody else is about to write
 */
export const taintController = (
  deps: HubDeps,
  isLeft: (cluster: Stored<ManagedCluster>) => boolean = () => false,
): Controller =>
  controller(
    'taint',
    async (key, { signal }) => {
      const cluster = deps.view.clusters.get(key)
      if (!cluster || cluster.metadata.deletionTimestamp || isLeft(cluster)) return done
      const spec = taintsToWrite(cluster)
      if (!spec) return done
      // Guarded by the version: the list is replaced whole, and a taint that a user adds at this moment must not be lost.
      const body = { metadata: { resourceVersion: cluster.metadata.resourceVersion }, spec }
      await deps.kube.of(ManagedCluster.resource).patch(key, { type: 'merge', body }, { signal })
      return done
    },
    {
      ...deps,
      watches: [
        watching(deps.view.clusters, undefined, {
          when: changesOf((cluster) => [availabilityOf(cluster), cluster.spec?.taints, isLeft(cluster)]),
        }),
      ],
    },
  )

/** Part of a merge patch, which has to be guarded by the version; undefined when nothing is to be changed. */
export function taintsToWrite(cluster: Stored<ManagedCluster>): { taints: Taint[] | null } | undefined {
  const next = withHealthTaints(cluster.spec?.taints, availabilityOf(cluster))
  if (next === cluster.spec?.taints) return undefined
  // Without timeAdded: admission stamps it, and lets nobody else.
  return { taints: next && next.length > 0 ? next : null }
}

/** The list with the taint that goes with the availability, and without the other. The same list when it is so already. */
export function withHealthTaints(
  list: Taint[] | undefined,
  available: ConditionStatus | undefined,
): Taint[] | undefined {
  const wanted = available === 'True' ? undefined : available === 'False' ? taints.unavailable : taints.unreachable
  const given = list ?? []
  const kept = given.filter((taint) => !isOurs(taint) || taint.key === wanted)
  const isMissing = wanted !== undefined && !kept.some((taint) => isOurs(taint) && taint.key === wanted)
  if (!isMissing && kept.length === given.length) return list
  return isMissing ? [...kept, { key: wanted, effect: 'NoSelect' }] : kept
}

/** One of the same key with a value or another effect is somebody else's. */
const isOurs = ({ key, value, effect }: Taint): boolean =>
  (key === taints.unreachable || key === taints.unavailable) && effect === 'NoSelect' && !value

const availabilityOf = ({ status }: ManagedCluster): ConditionStatus | undefined =>
  findCondition(status?.conditions, conditions.available)?.status
