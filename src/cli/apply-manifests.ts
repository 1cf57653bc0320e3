import type { Manifest } from '../fleet/manifests/manifest.ts'
import type { Kube } from '../kube/kube.ts'

const fieldManager = 'lanyard'

/** Server-side apply, in order. What others added to an object stays; what is ours and was changed comes back. */
export async function applyManifests(kube: Kube, manifests: readonly Manifest[], signal: AbortSignal): Promise<void> {
  for (const { resource, object } of manifests)
    await kube.of(resource, object.metadata.namespace).apply(object, { fieldManager, force: true, signal })
}

/** In order; what is not there is no mistake. */
export async function removeManifests(kube: Kube, manifests: readonly Manifest[], signal: AbortSignal): Promise<void> {
  for (const { resource, object } of manifests)
    await kube.of(resource, object.metadata.namespace).delete(object.metadata.name, { signal })
}
