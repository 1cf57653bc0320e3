import { isDeepStrictEqual } from 'node:util'
import type { KubeObject, Stored } from '../../kube/objects.ts'
import type { Change } from '../../kube/store.ts'
import type { Named } from './named.ts'

/** Whether an object is other than wanted. Labels, annotations and finalizers of others are theirs to have. */
export function differs<T extends KubeObject>(wanted: Named<T>, existing: Stored<T>): boolean {
  const { metadata, apiVersion: _, kind: __, ...content } = wanted
  const has = existing.metadata
  return (
    has.deletionTimestamp !== undefined ||
    Object.entries(metadata.labels).some(([name, value]) => has.labels?.[name] !== value) ||
    !(metadata.finalizers ?? []).every((finalizer) => has.finalizers?.includes(finalizer)) ||
    Object.entries(content).some(([field, value]) => !isDeepStrictEqual(fieldOf(existing, field), value)) ||
    // Another writer fills in the rules of a role that has one.
    fieldOf(existing, 'aggregationRule') !== undefined
  )
}

/** Whether a change leaves something to repair. `wanted` undefined: the object should not be there. */
export function isDrift<T extends KubeObject>(change: Change<T>, wanted: Named<T> | undefined): boolean {
  if (change.type === 'deleted') return wanted !== undefined
  return wanted === undefined || differs(wanted, change.object)
}

/** The merge patch that makes an existing object as wanted, and keeps what others have on it. */
export function repair<T extends KubeObject>(wanted: Named<T>, existing: Stored<T>): object {
  const { metadata, apiVersion: _, kind: __, ...content } = wanted
  const kept = existing.metadata.finalizers ?? []
  const missing = (metadata.finalizers ?? []).filter((finalizer) => !kept.includes(finalizer))
  return {
    metadata: { labels: metadata.labels, ...(missing.length > 0 && { finalizers: [...kept, ...missing] }) },
    ...content,
    ...(fieldOf(existing, 'aggregationRule') !== undefined && { aggregationRule: null }),
  }
}

/** What cannot be repaired in place: it is going away, or it is bound to another role, which is for good. */
export const mustBeReplaced = <T extends KubeObject>(wanted: Named<T>, existing: Stored<T>): boolean =>
  existing.metadata.deletionTimestamp !== undefined ||
  !isDeepStrictEqual(fieldOf(existing, 'roleRef'), fieldOf(wanted, 'roleRef'))

const fieldOf = (object: KubeObject, field: string): unknown => (object as Record<string, unknown>)[field]
