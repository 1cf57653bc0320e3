import type { Namespace } from 'kubernetes-types/core/v1.d.ts'
import type { Outcome } from '../../core/outcome.ts'
import { done } from '../../core/outcome.ts'
import type { Controller, ReconcileContext } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import { isAbsent } from '../../kube/failures.ts'
import { namespaces } from '../../kube/kinds.ts'
import type { Stored } from '../../kube/objects.ts'
import type { Watching } from '../../kube/watching.ts'
import { parsed } from '../storage/reading.ts'
import type { Entry, Store } from '../storage/store.ts'
import type { ControllerDeps } from './deps.ts'
import { failures } from './failures.ts'
import type { Remains } from './namespace-conditions.ts'
import { namespaceConditions } from './namespace-conditions.ts'
import { emptyNamespace } from './namespace-content.ts'

const storage = 'namespaces'
const finalizer = 'kubernetes'

/** Empties namespaces that are being deleted, and lets them go when nothing is left in them. */
export function namespaceController(deps: ControllerDeps): Controller {
  const { kube, store, clock } = deps

  async function reconcile(name: string, { signal }: ReconcileContext): Promise<Outcome> {
    const entry = store.get(storage, '', name)
    const namespace = entry && parsed<Stored<Namespace>>(entry)
    if (!namespace?.metadata.deletionTimestamp || !isHeld(namespace)) return done
    const remains = await emptyNamespace(deps, name, signal)
    try {
      const told = await tell(namespace, remains, signal)
      if (remains.failures.length === 0 && remains.objects.size === 0) await letGo(told, signal)
    } catch (error) {
      if (!isAbsent(error)) throw error
    }
    if (remains.failures.length === 0) return done
    throw failures.NAMESPACE_NOT_EMPTIED({ namespace: name, detail: remains.failures.join(', ') })
  }

  async function tell(namespace: Stored<Namespace>, remains: Remains, signal: AbortSignal) {
    const present = namespace.status?.conditions ?? []
    const conditions = namespaceConditions(present, remains, clock.now())
    if (conditions === present) return namespace
    const status = { ...namespace.status, conditions: [...conditions] }
    return kube.of(namespaces).update({ ...namespace, status }, { subresource: 'status', signal })
  }

  async function letGo(namespace: Stored<Namespace>, signal: AbortSignal): Promise<void> {
    const finalizers = (namespace.spec?.finalizers ?? []).filter((other) => other !== finalizer)
    const released = { ...namespace, spec: { ...namespace.spec, finalizers } }
    await kube.of(namespaces).update(released, { subresource: 'finalize', signal })
  }

  return controller('namespace', reconcile, { ...deps, watches: [terminating(store)] })
}

const isHeld = ({ spec }: Namespace): boolean => (spec?.finalizers ?? []).includes(finalizer)

/** The names of namespaces that are being deleted, each again whenever something in it changes. */
function terminating(store: Store): Watching {
  const isTerminating = (entry: Entry) =>
    entry.text.includes('"deletionTimestamp"') && parsed(entry).metadata.deletionTimestamp !== undefined
  return {
    synced: async () => {},
    subscribe(enqueue) {
      const names = new Set<string>()
      const note = (entry: Entry) => {
        if (!isTerminating(entry)) return
        names.add(entry.name)
        enqueue(entry.name)
      }
      for (const entry of store.list(storage).entries) note(entry)
      return store.subscribe((changes) => {
        for (const { type, entry } of changes) {
          if (entry.storage !== storage) {
            if (names.has(entry.namespace)) enqueue(entry.namespace)
          } else if (type === 'DELETED') names.delete(entry.name)
          else note(entry)
        }
      })
    },
  }
}
