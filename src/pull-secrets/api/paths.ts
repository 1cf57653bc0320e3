import type { Failure } from '../../core/failure.ts'
import { failures } from '../failures.ts'

export const base = '/api/hyperfleet/v1'

export const clusterIdPattern = '^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$'
const clusterId = new RegExp(clusterIdPattern)

/** The id of a cluster as it came over the wire: nothing in it is ever decoded, so nothing can be smuggled in. */
export function checkPath(rawPath: string): Failure | undefined {
  const prefix = `${base}/clusters/`
  if (!rawPath.startsWith(prefix)) return undefined
  const segments = rawPath.slice(prefix.length).split('/')
  const next = segments.indexOf('pull-secrets', 1)
  const id = segments.slice(0, next === -1 ? undefined : next).join('/')
  return clusterId.test(id) ? undefined : failures.PULL_BAD_CLUSTER_ID()
}

export const secretPath = (cluster: string): string => `${base}/clusters/${cluster}/pull-secrets`
export const rotationPath = (cluster: string, id: string): string => `${secretPath(cluster)}/rotations/${id}`
