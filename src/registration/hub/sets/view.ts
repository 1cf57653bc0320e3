import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { ManagedClusterSet } from '../../../apis/cluster/managed-cluster-set.ts'
import { ManagedClusterSetBinding } from '../../../apis/cluster/managed-cluster-set-binding.ts'
import type { Informer } from '../../../kube/informer.ts'
import { informer, withoutManagedFields } from '../../../kube/informer.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { HubDeps } from '../deps.ts'
import type { Membership } from './membership.ts'
import { isMember, membership, selectsByLabels, setLabelOf } from './membership.ts'

export interface SetView extends Membership {
  readonly sets: Informer<ManagedClusterSet, 'kind'>
  readonly bindings: Informer<ManagedClusterSetBinding, 'set'>
  /** Every set that the cluster is in. */
  setsOf(cluster: ManagedCluster): Stored<ManagedClusterSet>[]
}

export function setView({ kube, view, clock, random, log }: HubDeps): SetView {
  const common = { clock, random, log, transform: withoutManagedFields }
  const sets = informer(kube.of(ManagedClusterSet.resource), {
    ...common,
    indexes: { kind: (set: ManagedClusterSet) => [selectsByLabels(set) ? 'by-selector' : 'by-label'] },
  })
  const bindings = informer(kube.of(ManagedClusterSetBinding.resource), {
    ...common,
    indexes: { set: ({ spec }: ManagedClusterSetBinding) => (spec?.clusterSet ? [spec.clusterSet] : []) },
  })
  return {
    ...membership(view.clusters),
    sets,
    bindings,
    setsOf(cluster) {
      const named = sets.get(setLabelOf(cluster) ?? '')
      return [
        ...(named && isMember(named, cluster) && !selectsByLabels(named) ? [named] : []),
        ...sets.byIndex('kind', 'by-selector').filter((set) => isMember(set, cluster)),
      ]
    },
  }
}
