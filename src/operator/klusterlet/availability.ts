import { Klusterlet } from '../../apis/operator/klusterlet.ts'
import type { Outcome } from '../../core/outcome.ts'
import { done } from '../../core/outcome.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import type { Key } from '../../kube/objects.ts'
import { keyOf } from '../../kube/objects.ts'
import { changesOf, watching } from '../../kube/watching.ts'
import { agentDeployment } from '../../registration/manifests/agent.ts'
import type { OperatorDeps } from '../deps.ts'
import { statusWriter } from '../status.ts'
import { deploymentReports } from './conditions.ts'
import { keysIn } from './controller.ts'
import { namespaceOf } from './plan.ts'
import type { KlusterletView } from './view.ts'

/** Tells whether the agent runs, from its Deployment alone. */
export const availabilityController = (deps: OperatorDeps, view: KlusterletView): Controller =>
  controller('klusterlet-availability', (key, { signal }) => reconcile(key, deps, view, signal), {
    ...deps,
    watches: [
      watching(view.klusterlets, undefined, { when: changesOf(({ metadata }) => metadata.generation) }),
      ...[...view.deployments].map(([namespace, informer]) =>
        watching(informer, () => keysIn(view, namespace), {
          when: changesOf(({ spec, status }) => [spec?.replicas, status?.availableReplicas]),
        }),
      ),
    ],
  })

async function reconcile(key: Key, deps: OperatorDeps, view: KlusterletView, signal: AbortSignal): Promise<Outcome> {
  const klusterlet = view.klusterlets.get(key)
  if (!klusterlet || klusterlet.metadata.deletionTimestamp) return done
  const namespace = namespaceOf(klusterlet)
  const [first] = view.inNamespace(namespace)
  // Beside another in one namespace it has no agent of its own.
  const deployment =
    first && keyOf(first) === key ? view.deployments.get(namespace)?.get(`${namespace}/${agentDeployment}`) : undefined
  const status = statusWriter(deps.kube.of(Klusterlet.resource), klusterlet, { ...deps, signal })
  await status.write({ conditions: deploymentReports(deployment) })
  return done
}
