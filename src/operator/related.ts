import type { Manifest } from '../fleet/manifests/manifest.ts'
import { isAbsent } from '../kube/failures.ts'
import type { Kube } from '../kube/kube.ts'
import type { KubeObject, Resource } from '../kube/objects.ts'

/** An object that was made for a Klusterlet or a ClusterManager, as its status lists it. */
export interface Related {
  group: string
  version: string
  resource: string
  namespace?: string
  name: string
}

export const relatedOf = ({ resource, object: { metadata } }: Manifest): Related => ({
  group: resource.group,
  version: resource.version,
  resource: resource.plural,
  ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
  name: metadata.name,
})

const idOf = ({ group, resource, namespace = '', name }: Related): string => [group, resource, namespace, name].join()

/** Both, each once: written down before anything is made, so that nothing of ours is ever unlisted. */
export function union(listed: readonly Related[], wanted: readonly Related[]): Related[] {
  const known = new Set(wanted.map(idOf))
  return [...wanted, ...listed.filter((one) => !known.has(idOf(one)))]
}

/** What is listed and no longer wanted, the last made first. */
export function leftOver(listed: readonly Related[], wanted: readonly Related[]): Related[] {
  const known = new Set(wanted.map(idOf))
  return listed.filter((one) => !known.has(idOf(one))).toReversed()
}

/** Namespaces are never removed this way: what is in them may be somebody else's. */
export async function removeRelated(kube: Kube, left: readonly Related[], signal: AbortSignal): Promise<void> {
  for (const { group, version, resource: plural, namespace, name } of left) {
    if (group === '' && plural === 'namespaces') continue
    const resource: Resource<KubeObject> = { group, version, plural, kind: plural, namespaced: namespace !== undefined }
    await kube
      .of(resource, namespace)
      .delete(name, { signal, propagationPolicy: 'Background' })
      .catch((error: unknown) => {
        if (!isAbsent(error)) throw error
      })
  }
}
