import type { Outcome } from '../../core/outcome.ts'
import { done } from '../../core/outcome.ts'
import type { Controller, ReconcileContext } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { isAlreadyExists, isConflict, isNotFound, KubeFailure } from '../../kube/failures.ts'
import type { Informer } from '../../kube/informer.ts'
import type { KubeObject } from '../../kube/objects.ts'
import { watching } from '../../kube/watching.ts'
import type { ControllerDeps } from './deps.ts'
import type { Informers } from './informers.ts'

/** Keeps something in every active namespace. `ensure` is asked again whenever an object of `kept` there changes. */
export function inEachNamespace<T extends KubeObject>(
  name: string,
  deps: ControllerDeps,
  { namespaces }: Informers,
  kept: Informer<T>,
  ensure: (namespace: string, context: ReconcileContext) => Promise<void>,
): Controller {
  const reconcile = async (namespace: string, context: ReconcileContext): Promise<Outcome> => {
    if (namespaces.get(namespace)?.status?.phase !== 'Active') return done
    try {
      await ensure(namespace, context)
    } catch (error) {
      if (!isOvertaken(error)) throw error
    }
    return done
  }
  const watches = [watching(namespaces), watching(kept, ({ metadata }) => metadata.namespace ?? [])]
  return controller(name, reconcile, { ...deps, watches })
}

/** The namespace is on its way out, or somebody else was faster: the change that says so brings the key back. */
const isOvertaken = (error: unknown): boolean =>
  isAlreadyExists(error) || isConflict(error) || isNotFound(error) || isTerminating(error)

const isTerminating = (error: unknown): boolean =>
  error instanceof KubeFailure && (error.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
