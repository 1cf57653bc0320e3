import type { ObjectMeta as ReadMeta } from '../kube/objects.ts'

/** To a server, nothing of an object is read-only. */
export type ObjectMeta = { -readonly [Field in keyof ReadMeta]: ReadMeta[Field] }

/** An object of the API as plain JSON. Whoever holds one that came from `fresh` or from a request may change it. */
export interface ApiObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  [field: string]: unknown
}

/** `apps/v1`, or `v1` for the core group. */
export const apiVersionOf = (group: string, version: string): string => (group === '' ? version : `${group}/${version}`)

export function splitApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/')
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}

/** `deployments.apps`, or `configmaps` for the core group: how Kubernetes names a resource in messages. */
export const resourceName = (group: string, plural: string): string => (group === '' ? plural : `${plural}.${group}`)
