import type { ObjectMeta } from 'kubernetes-types/meta/v1.d.ts'

export type { ObjectMeta }

/** What every Kubernetes object has. */
export interface KubeObject {
  apiVersion?: string
  kind?: string
  metadata?: ObjectMeta
}

/** An object as the server gives it: named and versioned. */
export type Stored<T extends KubeObject> = T & {
  metadata: ObjectMeta & { name: string; uid: string; resourceVersion: string }
}

export interface List<T extends KubeObject> {
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number }
  items: Stored<T>[]
}

/** How a kind is addressed. `T` is carried by the type alone. */
export interface Resource<T extends KubeObject> {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly kind: string
  readonly namespaced: boolean
  readonly [object]?: T
}

declare const object: unique symbol

/**
 * @example resource<Secret>('v1', 'Secret', 'secrets')
 * @example resource<ClusterRole>('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles', { namespaced: false })
 */
export function resource<T extends KubeObject>(
  apiVersion: string,
  kind: string,
  plural: string,
  { namespaced = true }: { namespaced?: boolean } = {},
): Resource<T> {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return { group, version, plural, kind, namespaced }
}

export const apiVersionOf = ({ group, version }: Resource<KubeObject>): string =>
  group === '' ? version : `${group}/${version}`

/** `namespace/name`, or `name` where there is no namespace: the key of informers and queues. */
export type Key = string

export const keyOf = ({ metadata }: KubeObject): Key =>
  metadata?.namespace ? `${metadata.namespace}/${metadata.name}` : `${metadata?.name}`

export function splitKey(key: Key): { namespace?: string; name: string } {
  const slash = key.indexOf('/')
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}
