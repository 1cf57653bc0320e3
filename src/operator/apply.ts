import type { Manifest } from '../fleet/manifests/manifest.ts'
import { managedBy } from '../fleet/manifests/manifest.ts'
import { isAlreadyExists } from '../kube/failures.ts'
import { namespaces } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import type { KubeObject, Stored } from '../kube/objects.ts'
import { annotations, fieldManager } from './names.ts'

/** Server-side apply, in order: what others added to an object stays, what is ours and was changed comes back. */
export async function applyAll(
  kube: Kube,
  manifests: readonly Manifest[],
  signal: AbortSignal,
): Promise<Stored<KubeObject>[]> {
  const applied: Stored<KubeObject>[] = []
  for (const { resource, object } of manifests)
    applied.push(
      await kube.of(resource, object.metadata.namespace).apply(object, { fieldManager, force: true, signal }),
    )
  return applied
}

/** A namespace that is there is left as it is; one that we make goes again with the object it was made for. */
export async function ensureNamespace(kube: Kube, name: string, madeFor: string, signal: AbortSignal): Promise<void> {
  if (await kube.of(namespaces).metadata.find(name, { signal })) return
  const metadata = { name, labels: { ...managedBy }, annotations: { [annotations.madeFor]: madeFor } }
  await kube
    .of(namespaces)
    .create({ metadata }, { signal })
    .catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    })
}

/** Whether the namespace is one that we made for this object. */
export async function isMadeFor(kube: Kube, name: string, uid: string, signal: AbortSignal): Promise<boolean> {
  const found = await kube.of(namespaces).metadata.find(name, { signal })
  return found?.metadata.annotations?.[annotations.madeFor] === uid
}
