import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { ManagedClusterSet } from '../../../apis/cluster/managed-cluster-set.ts'
import { labels } from '../../../fleet/names.ts'
import type { Informer } from '../../../kube/informer.ts'
import type { Stored } from '../../../kube/objects.ts'
import { selects } from './label-selector.ts'

/** Whether a set takes clusters by its own selector, and not by the label that names one set. */
export const selectsByLabels = ({ spec }: ManagedClusterSet): boolean =>
  spec?.clusterSelector?.selectorType === 'LabelSelector'

export const isMember = (set: Stored<ManagedClusterSet>, { metadata }: ManagedCluster): boolean =>
  selectsByLabels(set)
    ? selects(set.spec?.clusterSelector?.labelSelector, metadata?.labels)
    : metadata?.labels?.[labels.clusterSet] === set.metadata.name

/** The names of those of `sets` that the cluster is in, ordered. */
export const setsOf = (cluster: ManagedCluster, sets: readonly Stored<ManagedClusterSet>[]): string[] =>
  sets
    .filter((set) => isMember(set, cluster))
    .map(({ metadata }) => metadata.name)
    .sort()

/** Who is in which set. Sets by label are followed as clusters change, so that to ask for one is not to look at all. */
export interface Membership {
  count(set: Stored<ManagedClusterSet>): number
  members(set: Stored<ManagedClusterSet>): string[]
}

export function membership(clusters: Pick<Informer<ManagedCluster>, 'on' | 'list'>): Membership {
  const byLabel = new Map<string, Set<string>>()
  const move = (cluster: string, from: string | undefined, to: string | undefined) => {
    if (from !== undefined && byLabel.get(from)?.delete(cluster) && byLabel.get(from)?.size === 0) byLabel.delete(from)
    if (to !== undefined) byLabel.set(to, (byLabel.get(to) ?? new Set()).add(cluster))
  }
  // Never given back: it lives as long as the informer.
  clusters.on((change) => {
    const { name } = change.object.metadata
    const now = setLabelOf(change.object)
    if (change.type === 'added') move(name, undefined, now)
    // As last seen, which is where it is kept, whatever its state at deletion was.
    else if (change.type === 'deleted') for (const set of [...byLabel.keys()]) move(name, set, undefined)
    else if (setLabelOf(change.previous) !== now) move(name, setLabelOf(change.previous), now)
  })
  const selected = (set: Stored<ManagedClusterSet>) => clusters.list().filter((cluster) => isMember(set, cluster))
  return {
    count: (set) => (selectsByLabels(set) ? selected(set).length : (byLabel.get(set.metadata.name)?.size ?? 0)),
    members: (set) =>
      selectsByLabels(set)
        ? selected(set).map(({ metadata }) => metadata.name)
        : [...(byLabel.get(set.metadata.name) ?? [])],
  }
}

export const setLabelOf = ({ metadata }: ManagedCluster): string | undefined => metadata?.labels?.[labels.clusterSet]
