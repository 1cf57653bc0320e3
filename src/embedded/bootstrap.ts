import { isAlreadyExists } from '../kube/failures.ts'
import type { Kube } from '../kube/kube.ts'
import type { KubeObject, Resource } from '../kube/objects.ts'
import { resource } from '../kube/objects.ts'
import { bootstrapPolicy, reconcilePolicy } from './authorization/bootstrap.ts'
import type { Registry } from './kinds/registry.ts'
import type { ApiObject } from './objects.ts'
import { resourceName } from './objects.ts'
import { parsed } from './storage/reading.ts'
import type { Store } from './storage/store.ts'

const systemNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

/** What every control plane begins with. Whatever is there already, and says so, is left as it is. */
export async function ensureBootstrapObjects({
  store,
  registry,
  kube,
}: {
  store: Store
  registry: Registry
  kube: Kube
}): Promise<void> {
  await Promise.all(
    systemNamespaces
      .filter((name) => !store.get('namespaces', '', name))
      .map((name) => createIfAbsent(kube, namespaceResource, { metadata: { name } })),
  )
  await Promise.all(bootstrapPolicy().map((wanted) => ensurePolicy({ store, registry, kube }, wanted)))
}

const namespaceResource = resource<KubeObject>('v1', 'Namespace', 'namespaces', { namespaced: false })

async function ensurePolicy(
  { store, registry, kube }: { store: Store; registry: Registry; kube: Kube },
  wanted: ApiObject,
): Promise<void> {
  const served = registry.findKind(wanted.apiVersion, wanted.kind)
  if (!served) return
  const { kind } = served
  const { name = '', namespace = '' } = wanted.metadata
  const entry = store.get(resourceName(kind.group, kind.plural), namespace, name)
  const place = resource<KubeObject>(wanted.apiVersion, kind.kind, kind.plural, { namespaced: kind.namespaced })
  if (!entry) return createIfAbsent(kube, place, wanted)
  const changed = reconcilePolicy(parsed(entry), wanted)
  if (changed) await kube.of(place, namespace || undefined).update(changed)
}

async function createIfAbsent(kube: Kube, place: Resource<KubeObject>, object: KubeObject): Promise<void> {
  try {
    await kube.of(place, object.metadata?.namespace).create(object)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
