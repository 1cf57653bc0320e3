import { ManagedClusterSetBinding } from '../../../apis/cluster/managed-cluster-set-binding.ts'
import type { ConditionReport } from '../../../core/conditions.ts'
import { setCondition } from '../../../core/conditions.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done } from '../../../core/outcome.ts'
import { setConditions } from '../../../fleet/names.ts'
import type { Controller } from '../../../kube/controller.ts'
import { controller } from '../../../kube/controller.ts'
import type { Key } from '../../../kube/objects.ts'
import { keyOf, splitKey } from '../../../kube/objects.ts'
import { watching } from '../../../kube/watching.ts'
import { reasons } from '../../reasons.ts'
import type { HubDeps } from '../deps.ts'
import type { SetView } from './view.ts'

/** Tells of each binding whether there is anything to bind. */
export const bindingController = (deps: HubDeps, view: SetView): Controller =>
  controller('set-binding', (key, { signal }) => reconcile(key, deps, view, signal), {
    ...deps,
    watches: [
      watching(view.bindings),
      watching(view.sets, ({ metadata }) => view.bindings.byIndex('set', metadata.name).map(keyOf), {
        when: ({ type }) => type !== 'updated',
      }),
    ],
  })

async function reconcile(key: Key, deps: HubDeps, view: SetView, signal: AbortSignal): Promise<Outcome> {
  const binding = view.bindings.get(key)
  if (!binding || binding.metadata.deletionTimestamp) return done
  const set = binding.spec?.clusterSet ?? ''
  const old = binding.status?.conditions
  const conditions = setCondition(old, reportBinding(set, view.sets.get(set) !== undefined), deps.clock.now())
  if (conditions === old) return done
  const { name, namespace = '' } = splitKey(key)
  const body = { metadata: { resourceVersion: binding.metadata.resourceVersion }, status: { conditions } }
  await deps.kube
    .of(ManagedClusterSetBinding.resource, namespace)
    .patch(name, { type: 'merge', body }, { subresource: 'status', signal })
  return done
}

export const reportBinding = (set: string, exists: boolean): ConditionReport =>
  exists
    ? { type: setConditions.bound, status: 'True', reason: reasons.ClusterSetBound, message: '' }
    : {
        type: setConditions.bound,
        status: 'False',
        reason: reasons.ClusterSetNotFound,
        message: `There is no ManagedClusterSet ${set}; create it or delete this binding.`,
      }
