import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { rfc3339 } from '../../core/conditions.ts'
import type { Outcome } from '../../core/outcome.ts'
import { done } from '../../core/outcome.ts'
import { annotations, labels } from '../../fleet/names.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { isAbsent } from '../../kube/failures.ts'
import type { Key, Stored } from '../../kube/objects.ts'
import { watching } from '../../kube/watching.ts'
import type { HubDriver } from '../drivers/driver.ts'
import { reasons } from '../reasons.ts'
import type { HubDeps } from './deps.ts'
import { phaseOf } from './membership/phase.ts'
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

async function accept(
  key: Key,
  { kube, view, clock, events }: HubDeps,
  drivers: readonly HubDriver[],
  signal: AbortSignal,
): Promise<Outcome> {
  const cluster = view.clusters.get(key)
  if (!cluster || !isNew(cluster) || whyReserved(key) !== undefined) return done
  if (!drivers.every((driver) => driver.mayAutoAccept(cluster))) return done
  const { name, resourceVersion } = cluster.metadata
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

/** Neither accepted nor denied by anyone so far, and here to stay. */
const isNew = (cluster: Stored<ManagedCluster>): boolean => phaseOf(cluster) === 'new' && !isDenied(cluster)

/** Whether the cluster was in before and somebody put it out, also where the traces of its acceptance are gone. */
export function isDenied(cluster: Stored<ManagedCluster>): boolean {
  const { automaticallyAcceptedOn, unjoinedAt } = annotations
  const written = cluster.metadata.annotations ?? {}
  const phase = phaseOf(cluster)
  return phase === 'denied' || (phase === 'new' && (automaticallyAcceptedOn in written || unjoinedAt in written))
}
