import type { Run } from '../../../core/lifecycle.ts'
import type { HubDeps } from '../deps.ts'
import { bindingController } from './bindings.ts'
import { builtInSetController } from './built-in.ts'
import { setCountController } from './count.ts'
import { managedNamespaceController } from './managed-namespaces.ts'
import { setView } from './view.ts'

/** Sets of clusters: the two that are always there, who is in which, and what follows from it. */
export function setRuns(deps: HubDeps): Run[] {
  const view = setView(deps)
  return [
    view.sets.run,
    view.bindings.run,
    builtInSetController(deps, view).run,
    setCountController(deps, view).run,
    bindingController(deps, view).run,
    managedNamespaceController(deps, view).run,
  ]
}
