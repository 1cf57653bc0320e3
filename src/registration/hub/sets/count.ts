import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { ManagedClusterSet } from '../../../apis/cluster/managed-cluster-set.ts'
import type { ConditionReport } from '../../../core/conditions.ts'
import { setCondition } from '../../../core/conditions.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done, requeueAfter } from '../../../core/outcome.ts'
import { setConditions } from '../../../fleet/names.ts'
import type { Controller } from '../../../kube/controller.ts'
import { controller } from '../../../kube/controller.ts'
import type { Key } from '../../../kube/objects.ts'
import { watching } from '../../../kube/watching.ts'
import { reasons } from '../../reasons.ts'
import type { HubDeps } from '../deps.ts'
import { labelsChanged } from './labels-changed.ts'
import type { SetView } from './view.ts'

/** A fleet that joins in one go moves the counts with each cluster; people need them once a moment. */
const restMs = 500

/** Tells how many clusters are in each set. */
export function setCountController(deps: HubDeps, view: SetView): Controller {
  const countedAt = new Map<Key, number>()

  async function reconcile(key: Key, signal: AbortSignal): Promise<Outcome> {
    const set = view.sets.get(key)
    if (!set) {
      countedAt.delete(key)
      return done
    }
    const now = deps.clock.now()
    const restedMs = now.getTime() - (countedAt.get(key) ?? Number.NEGATIVE_INFINITY)
    // Not negative, should the clock be set back.
    if (restedMs >= 0 && restedMs < restMs) return requeueAfter(restMs - restedMs)
    countedAt.set(key, now.getTime())
    const old = set.status?.conditions
    const conditions = setCondition(old, reportCount(view.count(set)), now)
    if (conditions === old) return done
    const { resourceVersion } = set.metadata
    const body = { metadata: { resourceVersion }, status: { conditions } }
    await deps.kube
      .of(ManagedClusterSet.resource)
      .patch(key, { type: 'merge', body }, { subresource: 'status', signal })
    return done
  }

  const setNames = (cluster: ManagedCluster): Key[] => view.setsOf(cluster).map(({ metadata }) => metadata.name)
  return controller('set-count', (key, { signal }) => reconcile(key, signal), {
    ...deps,
    watches: [watching(view.sets), watching(deps.view.clusters, setNames, { when: labelsChanged })],
  })
}

export const reportCount = (count: number): ConditionReport =>
  count === 0
    ? {
        type: setConditions.empty,
        status: 'True',
        reason: reasons.NoClusterMatched,
        message: 'No ManagedCluster selected',
      }
    : {
        type: setConditions.empty,
        status: 'False',
        reason: reasons.ClustersSelected,
        message: `${count} ManagedClusters selected`,
      }
