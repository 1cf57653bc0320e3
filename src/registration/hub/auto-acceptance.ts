import { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { rfc3339 } from '../../core/conditions.ts'
import type { Outcome } from '../../core/outcome.ts'
import { done } from '../../core/outcome.ts'
import type { Reason } from '../../core/reason.ts'
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
import { driverOf } from './membership/by-driver.ts'
import { isDenied, phaseOf } from './membership/phase.ts'
import { whyReserved } from './membership/reserved-names.ts'

/** Clusters at a time: each only waits for its one write. */
const workers = 16

/** Accepts new clusters that their own driver lets in, each once: whoever denies one later has the last word. */
export function autoAcceptanceController(deps: HubDeps, drivers: readonly HubDriver[]): Controller {
  const { view } = deps
  return controller('auto-acceptance', (key, { signal }) => accept(key, deps, drivers, signal), {
    ...deps,
    workers,
    // Where no driver lets anybody in there is nothing to do, and nothing to be woken for.
    watches: drivers.some(({ accepts }) => accepts)
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
  const driver = driverOf({ drivers }, cluster)
  const because = driver?.mayAutoAccept(cluster)
  if (!driver || because === undefined) return done
  const { name, resourceVersion } = cluster.metadata
  const past = await pastOf(name, driver, deps, signal)
  if (past) {
    const message = `Cluster ${name} was not accepted by itself: ${past.why}; check it, then run: lanyard accept ${name}`
    events.record(ManagedCluster.resource, cluster, { type: 'Warning', reason: past.reason, message })
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
    message: `Cluster ${name} was accepted, because ${because}; set hubAcceptsClient to false to deny it`,
  })
  return done
}

/**
 * What of before only a person may give a cluster rights over: a namespace that somebody uses for something else and, to
 * some drivers, a name that was on the hub. Namespaces of clusters stay for good, and so tell of it.
 */
async function pastOf(
  name: string,
  { acceptsNewNamesOnly }: HubDriver,
  { kube, view }: HubDeps,
  signal: AbortSignal,
): Promise<{ reason: Reason; why: string } | undefined> {
  const isOurs = (found: KubeObject | undefined) => found?.metadata?.labels?.[labels.clusterName] === name
  const seen = view.namespaces.get(name)
  const found = isOurs(seen) ? seen : await kube.of(namespaces).find(name, { signal })
  if (!found) return undefined
  if (!isOurs(found))
    return {
      reason: reasons.NamespaceNotOfCluster,
      why: "a namespace of that name is there and not a cluster's, where its agent would get rights",
    }
  if (!acceptsNewNamesOnly) return undefined
  return {
    reason: reasons.NameOfEarlierCluster,
    why: 'a cluster of that name was on this hub before, and whoever has a certificate of it would be let in again',
  }
}

/** Neither accepted nor denied by anyone so far, and here to stay. */
const isNew = (cluster: Stored<ManagedCluster>): boolean => phaseOf(cluster) === 'new' && !isDenied(cluster)
