import type { ManagedClusterAddOn } from '../../../apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { Condition, ConditionStatus } from '../../../core/conditions.ts'
import { findCondition } from '../../../core/conditions.ts'
import { done } from '../../../core/outcome.ts'
import { addonConditions, labels } from '../../../fleet/names.ts'
import type { Controller } from '../../../kube/controller.ts'
import { controller } from '../../../kube/controller.ts'
import { changesOf, watching } from '../../../kube/watching.ts'
import type { AddonHubDeps } from '../deps.ts'

/** Keeps a label for each add-on on its cluster, so that clusters can be selected by what works on them. */
export const featureLabelController = (deps: AddonHubDeps): Controller =>
  controller(
    'addon-feature-labels',
    async (key, { signal }) => {
      const cluster = deps.clusters.get(key)
      if (!cluster || cluster.metadata.deletionTimestamp) return done
      const changes = labelChanges(cluster.metadata.labels, deps.view.addons.byIndex('cluster', key))
      if (!changes) return done
      const body = { metadata: { labels: changes } }
      await deps.kube.of(ManagedCluster.resource).patch(key, { type: 'merge', body }, { signal })
      return done
    },
    {
      ...deps,
      watches: [
        watching(deps.clusters, undefined, { when: changesOf(({ metadata }) => featuresIn(metadata.labels)) }),
        watching(deps.view.addons, ({ metadata }) => metadata.namespace ?? [], { when: changesOf(availabilityOf) }),
      ],
    },
  )

const meanings: Record<ConditionStatus, string> = { True: 'available', False: 'unhealthy', Unknown: 'unreachable' }

/** Which labels to set, and which to remove (null). Undefined when all is as it should be. */
export function labelChanges(
  present: Readonly<Record<string, string>> | undefined,
  addons: readonly ManagedClusterAddOn[],
): Record<string, string | null> | undefined {
  const wanted = new Map(
    addons.flatMap((addon): [string, string][] => {
      const status = availabilityOf(addon)
      const name = `${addon.metadata?.name}`
      return status && isLabelName(name) ? [[`${labels.featurePrefix}${name}`, meanings[status]]] : []
    }),
  )
  const there = featuresIn(present)
  const set = [...wanted].filter(([label, value]) => there[label] !== value)
  const gone = Object.keys(there).filter((label) => !wanted.has(label))
  if (set.length + gone.length === 0) return undefined
  return Object.fromEntries([...set, ...gone.map((label) => [label, null] as const)])
}

const longest = 63 - 'addon-'.length
/** An add-on may have a longer name than a label; it goes without one then. */
const isLabelName = (addon: string): boolean => addon.length <= longest

const featuresIn = (present: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(present).filter(([label]) => label.startsWith(labels.featurePrefix)))

const availabilityOf = ({ status }: ManagedClusterAddOn): ConditionStatus | undefined =>
  findCondition(status?.conditions as Condition[] | undefined, addonConditions.available)?.status
