import type { Kube } from '../../kube/kube.ts'
import type { Kind } from '../kinds/kind.ts'
import type { Registry } from '../kinds/registry.ts'
import { parsed } from '../storage/reading.ts'
import type { Entry, Store } from '../storage/store.ts'
import type { Remains } from './namespace-conditions.ts'
import { resourceOf } from './place.ts'

interface Deps {
  kube: Kube
  store: Store
  registry: Registry
}

/**
 * Asks for everything in a namespace to be deleted, and tells what is still there: what somebody's finalizers hold.
 * Pods go first, as in Kubernetes: what they use must not go before them.
 */
export async function emptyNamespace(deps: Deps, namespace: string, signal: AbortSignal): Promise<Remains> {
  const kinds = namespacedKinds(deps.registry)
  const isPods = ({ storage }: Kind) => storage === 'pods'
  const pods = await emptyOf(deps, kinds.filter(isPods), namespace, signal)
  if (pods.objects.size > 0 || pods.failures.length > 0) return pods
  return emptyOf(
    deps,
    kinds.filter((kind) => !isPods(kind)),
    namespace,
    signal,
  )
}

/** Each storage once: two kinds may be views of the same objects. */
function namespacedKinds(registry: Registry): Kind[] {
  const byStorage = new Map<string, Kind>()
  for (const kind of registry.all())
    if (kind.namespaced && kind.verbs.includes('delete') && !byStorage.has(kind.storage))
      byStorage.set(kind.storage, kind)
  return [...byStorage.values()]
}

async function emptyOf(deps: Deps, kinds: readonly Kind[], namespace: string, signal: AbortSignal): Promise<Remains> {
  const { store } = deps
  const present = kinds.filter(({ storage }) => store.list(storage, { namespace, limit: 1 }).entries.length > 0)
  const deletions = await Promise.allSettled(present.map((kind) => deleteAll(deps, kind, namespace, signal)))
  const failures = deletions.flatMap((deletion) => (deletion.status === 'rejected' ? [messageOf(deletion.reason)] : []))
  const [objects, finalizers] = [new Map<string, number>(), new Map<string, number>()]
  for (const { storage, plural, group } of present)
    for (const entry of store.list(storage, { namespace }).entries) {
      add(objects, `${plural}.${group}`)
      for (const finalizer of parsed(entry).metadata.finalizers ?? []) add(finalizers, finalizer)
    }
  return { objects, finalizers, failures }
}

async function deleteAll({ kube, store, registry }: Deps, kind: Kind, namespace: string, signal: AbortSignal) {
  const isWaiting = ({ text }: Entry) => text.includes('"deletionTimestamp"')
  const left = store.list(kind.storage, { namespace }).entries.filter((entry) => !isWaiting(entry))
  if (left.length === 0) return
  const collection = kube.of(resourceOf(registry, kind), namespace)
  if (kind.verbs.includes('deletecollection'))
    await collection.deleteCollection({ propagationPolicy: 'Background', signal })
  else for (const { name } of left) await collection.delete(name, { propagationPolicy: 'Background', signal })
}

const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
