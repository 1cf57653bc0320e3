import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { rfc3339 } from '../../core/conditions.ts'
import type { Outcome } from '../../core/outcome.ts'
import { done } from '../../core/outcome.ts'
import { annotations, labels } from '../../fleet/names.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { isAbsent } from '../../kube/failures.ts'
import { namespaces } from '../../kube/kinds.ts'
import type { Key, KubeObject, Stored } from '../../kube/objects.ts'
import { watching } from '../../kube/watching.ts'
import type { HubDriver } from '../drivers/driver.ts'
import { reasons } from '../reasons.ts'
import type { HubDeps } from './deps.ts'
import { isDenied, phaseOf } from './membership/phase.ts'
import { whyReserved } from './membership/reserved-names.ts'

/** Clusters at a time: each only waits for its one write. */
const workers = 16

/** Accepts new clusters of listed users, each once: whoever denies one later has the last word. */
export function autoAcceptanceController(deps: HubDeps, drivers: readonly HubDriver[]): Controller {
  const { view } = deps
  return controller('auto-acceptance', (key, { signal }) => accept(key, deps, drivers, signal), {
    ...deps,
    workers,
    // Without the gate there is nothing to do, and nothing to be woken for.
    watches: deps.settings.autoApprovedUsers
      ? [
          watching(view.clusters, undefined, { when: ({ object }) => isNew(object) }),
          watching(view.csrs, ({ metadata }) => metadata.labels?.[labels.clusterName] || []),
        ]
      : [],
  })
}

async function accept(key: Key, deps: HubDeps, drivers: readonly HubDriver[], signal: AbortSignal): Promise<Outcome> {
  const { kube, view, clock, events, settings } = deps
  const cluster = view.clusters.get(key)
  if (!cluster || !isNew(cluster) || whyReserved(key, settings.namespace) !== undefined) return done
  if (!drivers.every((driver) => driver.mayAutoAccept(cluster))) return done
  const { name, resourceVersion } = cluster.metadata
  if (await isNamespaceOfOthers(name, deps, signal)) {
    events.record(ManagedCluster.resource, cluster, {
      type: 'Warning',
      reason: reasons.NamespaceNotOfCluster,
      message: `Cluster ${name} was not accepted by itself: a namespace of that name is there and not a cluster's, where its agent would get rights; check it, then run: lanyard accept ${name}`,
    })
    return done
  }
  const acceptedOn = rfc3339(clock.now())
  try {
    // One write, and of this version only: a denial that the informer has not brought yet must not be overrun.
    const body = {
      metadata: { resourceVersion, annotations: { [annotations.automaticallyAcceptedOn]: acceptedOn } },
      spec: { hubAcceptsClient: true },
    }
    await kube.of(ManagedCluster.resource).patch(name, { type: 'merge', body }, { signal })
  } catch (error) {
    if (isAbsent(error)) return done
    throw error
  }
  events.record(ManagedCluster.resource, cluster, {
    reason: reasons.ManagedClusterAutoAccepted,
    message: `Cluster ${name} was accepted, because a listed user created it; set hubAcceptsClient to false to deny it`,
  })
  return done
}

/** Only a person may give a cluster rights in a namespace that somebody uses for something else. */
async function isNamespaceOfOthers(name: string, { kube, view }: HubDeps, signal: AbortSignal): Promise<boolean> {
  const isOurs = (found: KubeObject | undefined) => found?.metadata?.labels?.[labels.clusterName] === name
  if (isOurs(view.namespaces.get(name))) return false
  const found = await kube.of(namespaces).find(name, { signal })
  return found !== undefined && !isOurs(found)
}

/** Neither accepted nor denied by anyone so far, and here to stay. */
const isNew = (cluster: Stored<ManagedCluster>): boolean => phaseOf(cluster) === 'new' && !isDenied(cluster)
