import { isDeepStrictEqual } from 'node:util'
import { ManagedClusterSet } from '../../../apis/cluster/managed-cluster-set.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done } from '../../../core/outcome.ts'
import { annotations, defaultSet, globalSet } from '../../../fleet/names.ts'
import type { Controller } from '../../../kube/controller.ts'
import { controller } from '../../../kube/controller.ts'
import { isAlreadyExists } from '../../../kube/failures.ts'
import type { Key } from '../../../kube/objects.ts'
import type { Watching } from '../../../kube/watching.ts'
import type { HubDeps } from '../deps.ts'
import type { SetView } from './view.ts'

type ClusterSelector = NonNullable<NonNullable<ManagedClusterSet['spec']>['clusterSelector']>

/** The set of those that name none, and the set of all. */
const builtIn: Readonly<Record<string, ClusterSelector>> = {
  [defaultSet]: { selectorType: 'ExclusiveClusterSetLabel' },
  [globalSet]: { selectorType: 'LabelSelector', labelSelector: {} },
}

/** Keeps the two sets that every hub has. Only their selector is ours: labels, annotations and the rest are the user's. */
export const builtInSetController = (deps: HubDeps, { sets }: SetView): Controller =>
  controller('built-in-set', (key, { signal }) => reconcile(key, deps, sets, signal), {
    ...deps,
    watches: [
      {
        synced: sets.synced,
        subscribe(enqueue) {
          for (const name of Object.keys(builtIn)) enqueue(name)
          return sets.on(({ object }) => Object.hasOwn(builtIn, object.metadata.name) && enqueue(object.metadata.name))
        },
      } satisfies Watching,
    ],
  })

async function reconcile(key: Key, deps: HubDeps, sets: SetView['sets'], signal: AbortSignal): Promise<Outcome> {
  const wanted = builtIn[key]
  const set = sets.get(key)
  const collection = deps.kube.of(ManagedClusterSet.resource)
  if (!wanted || set?.metadata.deletionTimestamp) return done
  if (!set) {
    await collection
      .create({ metadata: { name: key }, spec: { clusterSelector: wanted } }, { signal })
      .catch((error: unknown) => {
        // Ours or another's: the informer brings it, and it is looked at then.
        if (!isAlreadyExists(error)) throw error
      })
    return done
  }
  if (set.metadata.annotations?.[annotations.autoUpdate] === 'false') return done
  if (isSameSelector(set.spec?.clusterSelector, wanted)) return done
  // A merge patch keeps what it does not name; whatever else the selector holds has to be named to go.
  const emptied = wanted.labelSelector ? { matchLabels: null, matchExpressions: null } : null
  const body = { spec: { clusterSelector: { ...wanted, labelSelector: emptied } } }
  await collection.patch(key, { type: 'merge', body }, { signal })
  return done
}

/** Absent and empty lists are the same to whoever selects by them. */
export function isSameSelector(given: ClusterSelector | undefined, wanted: ClusterSelector): boolean {
  const shape = ({ selectorType, labelSelector }: ClusterSelector) => ({
    selectorType,
    isThere: labelSelector !== undefined,
    matchLabels: labelSelector?.matchLabels ?? {},
    matchExpressions: labelSelector?.matchExpressions ?? [],
  })
  return given !== undefined && isDeepStrictEqual(shape(given), shape(wanted))
}
