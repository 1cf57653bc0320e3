import { isDeepStrictEqual } from 'node:util'
import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { ManagedClusterSet } from '../../../apis/cluster/managed-cluster-set.ts'
import { done } from '../../../core/outcome.ts'
import type { Controller } from '../../../kube/controller.ts'
import { controller } from '../../../kube/controller.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { Watching } from '../../../kube/watching.ts'
import { changesOf, watching } from '../../../kube/watching.ts'
import type { HubDeps } from '../deps.ts'
import type { SetView } from './view.ts'

type ManagedNamespace = NonNullable<NonNullable<ManagedCluster['status']>['managedNamespaces']>[number]

/** Writes down for each cluster which namespaces its sets want on it. What comes of them is for the agent to tell. */
export const managedNamespaceController = (deps: HubDeps, view: SetView): Controller =>
  controller(
    'managed-namespace',
    async (key, { signal }) => {
      const cluster = deps.view.clusters.get(key)
      if (!cluster || cluster.metadata.deletionTimestamp) return done
      const old = cluster.status?.managedNamespaces ?? []
      const next = wantedNamespaces(view.setsOf(cluster), old)
      if (isDeepStrictEqual(next, old)) return done
      // Guarded by the version: the list is replaced whole, with the agent's conditions in it.
      const { resourceVersion } = cluster.metadata
      const body = { metadata: { resourceVersion }, status: { managedNamespaces: next.length > 0 ? next : null } }
      await deps.kube.of(ManagedCluster.resource).patch(key, { type: 'merge', body }, { subresource: 'status', signal })
      return done
    },
    {
      ...deps,
      watches: [
        watching(deps.view.clusters, undefined, {
          when: changesOf(({ metadata, status }) => [metadata.labels, status?.managedNamespaces]),
        }),
        changedSets(view),
      ],
    },
  )

/** In a steady order, each with the conditions that its agent has written. */
export function wantedNamespaces(
  sets: readonly Stored<ManagedClusterSet>[],
  old: readonly ManagedNamespace[],
): ManagedNamespace[] {
  const wanted = sets.flatMap((set) =>
    (set.spec?.managedNamespaces ?? []).map(({ name }) => ({ clusterSet: set.metadata.name, name })),
  )
  return wanted
    .sort((a, b) => compare(a.clusterSet, b.clusterSet) || compare(a.name, b.name))
    .map((entry) => old.find((known) => known.clusterSet === entry.clusterSet && known.name === entry.name) ?? entry)
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The clusters of each set that wants namespaces or did, when that or its selector changes. */
const changedSets = (view: SetView): Watching => ({
  synced: view.sets.synced,
  subscribe: (enqueue) =>
    view.sets.on((change) => {
      const states = change.type === 'updated' ? [change.previous, change.object] : [change.object]
      if (change.type === 'updated' && isDeepStrictEqual(change.previous.spec, change.object.spec)) return
      if (!states.some(({ spec }) => (spec?.managedNamespaces ?? []).length > 0)) return
      for (const set of states) for (const cluster of view.members(set)) enqueue(cluster)
    }),
})
