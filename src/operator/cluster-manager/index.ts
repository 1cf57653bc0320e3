import { ClusterManager } from '../../apis/operator/cluster-manager.ts'
import type { Run } from '../../core/lifecycle.ts'
import type { Outcome } from '../../core/outcome.ts'
import { done } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import type { Key } from '../../kube/objects.ts'
import { changesOf, watching } from '../../kube/watching.ts'
import { hubService } from '../../registration/manifests/hub.ts'
import type { OperatorDeps } from '../deps.ts'
import { statusWriter } from '../status.ts'
import { applyClusterManager } from './apply.ts'
import { deploymentReports } from './conditions.ts'
import { removeClusterManager } from './removal.ts'
import type { ClusterManagerView } from './view.ts'
import { clusterManagerView } from './view.ts'

/** ClusterManagers into running hubs. */
export function clusterManagerRuns(deps: OperatorDeps): Run[] {
  const view = clusterManagerView(deps)
  return [...view.runs, applyController(deps, view).run, availabilityController(deps, view).run]
}

const applyController = (deps: OperatorDeps, view: ClusterManagerView): Controller =>
  controller('cluster-manager', (key, { signal }) => reconcile(key, deps, view, signal), {
    ...deps,
    workers: 1,
    deadlineMs: 120_000,
    backoff: { baseMs: 500, maxMs: 30_000 },
    watches: [
      // Whoever comes or goes may be in the way of another.
      watching(view.managers, view.keys, { when: ({ type }) => type !== 'updated' }),
      watching(view.managers, undefined, {
        when: changesOf(({ metadata }) => [metadata.generation, metadata.deletionTimestamp, metadata.finalizers]),
      }),
      watching(view.deployments, view.keys, {
        when: changesOf(({ metadata }) => [metadata.generation, metadata.labels, metadata.deletionTimestamp]),
      }),
      ...view.rest,
    ],
  })

async function reconcile(
  key: Key,
  deps: OperatorDeps,
  view: ClusterManagerView,
  signal: AbortSignal,
): Promise<Outcome> {
  const manager = view.managers.get(key)
  if (!manager) return done
  if (manager.metadata.deletionTimestamp) return await removeClusterManager({ manager, deps, signal })
  return await applyClusterManager({ manager, deps, view, signal })
}

/** Tells whether the hub runs, from its Deployment alone. */
const availabilityController = (deps: OperatorDeps, view: ClusterManagerView): Controller =>
  controller('cluster-manager-availability', (key, { signal }) => report(key, deps, view, signal), {
    ...deps,
    watches: [
      watching(view.managers, undefined, { when: changesOf(({ metadata }) => metadata.generation) }),
      watching(view.deployments, view.keys, {
        when: changesOf(({ metadata, spec, status }) => [metadata.generation, spec?.replicas, status]),
      }),
    ],
  })

async function report(key: Key, deps: OperatorDeps, view: ClusterManagerView, signal: AbortSignal): Promise<Outcome> {
  const manager = view.managers.get(key)
  if (!manager || manager.metadata.deletionTimestamp || view.first() !== key) return done
  const deployment = view.deployments.get(`${deps.settings.hubNamespace}/${hubService}`)
  const status = statusWriter(deps.kube.of(ClusterManager.resource), manager, { ...deps, signal })
  await status.write({ conditions: deploymentReports(deployment) })
  return done
}
