import { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Condition, ConditionReport } from '../../../core/conditions.ts'
import { findCondition, setCondition } from '../../../core/conditions.ts'
import { done } from '../../../core/outcome.ts'
import type { Reason } from '../../../core/reason.ts'
import { addonConditions, conditions } from '../../../fleet/names.ts'
import type { Controller } from '../../../kube/controller.ts'
import { controller } from '../../../kube/controller.ts'
import type { Stored } from '../../../kube/objects.ts'
import { keyOf, splitKey } from '../../../kube/objects.ts'
import { changesOf, watching } from '../../../kube/watching.ts'
import type { AddonHubDeps } from '../deps.ts'

/** Says of every add-on on a cluster that is silent that nothing is known of it either, in the words for the cluster. */
export const unreachableController = (deps: AddonHubDeps): Controller =>
  controller(
    'addon-unreachable',
    async (key, { signal }) => {
      const addon = deps.view.addons.get(key)
      const { namespace = '', name } = splitKey(key)
      const report = reportOf(deps.clusters.get(namespace))
      if (!addon || !report) return done
      const known = addon.status?.conditions as Condition[] | undefined
      const next = setCondition(known, report, deps.clock.now())
      if (next === known) return done
      // Guarded by the version: what the add-on's agent says at this moment must not be lost.
      const body = { metadata: { resourceVersion: addon.metadata.resourceVersion }, status: { conditions: next } }
      await deps.kube
        .of(ManagedClusterAddOn.resource, namespace)
        .patch(name, { type: 'merge', body }, { subresource: 'status', signal })
      return done
    },
    {
      ...deps,
      watches: [
        watching(deps.view.addons, undefined, { when: changesOf(availableOf) }),
        watching(
          deps.clusters,
          ({ metadata }) => deps.view.addons.byIndex('cluster', metadata.name).map(keyOf),
          // A cluster that is heard again is its agent's to speak of.
          { when: changesOf((cluster) => reportOf(cluster)) },
        ),
      ],
    },
  )

const availableOf = ({ status }: Stored<ManagedClusterAddOn>): unknown =>
  findCondition(status?.conditions as Condition[] | undefined, addonConditions.available)

/** What is to be said of the add-ons of a cluster; nothing of one that is heard. */
export function reportOf(cluster: ManagedCluster | undefined): ConditionReport | undefined {
  const found = findCondition(cluster?.status?.conditions as Condition[] | undefined, conditions.available)
  if (found?.status !== 'Unknown') return undefined
  const { status, reason, message } = found
  return { type: addonConditions.available, status, reason: reason as Reason, message }
}
