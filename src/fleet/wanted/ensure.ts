import { isAlreadyExists } from '../../kube/failures.ts'
import type { Collection } from '../../kube/kube.ts'
import type { KubeObject, Stored } from '../../kube/objects.ts'
import { differs, mustBeReplaced, repair } from './drift.ts'
import { failures } from './failures.ts'
import type { Named } from './named.ts'

/**
 * Makes an object as wanted, in no request when it is already so and in one when it is missing or differs. `existing`
 * comes from an informer, so it may be stale, and one without our label is not in it: then the server's answer decides.
 * `mayTake`: whether such a one is ours to change; it throws when it is not.
 */
export async function ensure<T extends KubeObject>(
  collection: Collection<T>,
  wanted: Named<T>,
  existing: Stored<T> | undefined,
  signal: AbortSignal,
  mayTake: (unseen: Stored<T>) => void = () => {},
): Promise<Stored<T>> {
  if (existing) return await adjust(collection, wanted, existing, signal)
  try {
    return await collection.create(wanted, { signal })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    const unseen = await collection.find(wanted.metadata.name, { signal })
    if (!unseen) return await collection.create(wanted, { signal })
    mayTake(unseen)
    return await adjust(collection, wanted, unseen, signal)
  }
}

async function adjust<T extends KubeObject>(
  collection: Collection<T>,
  wanted: Named<T>,
  existing: Stored<T>,
  signal: AbortSignal,
): Promise<Stored<T>> {
  if (!differs(wanted, existing)) return existing
  if (mustBeReplaced(wanted, existing)) return await replace(collection, wanted, existing, signal)
  return await collection.patch(wanted.metadata.name, { type: 'merge', body: repair(wanted, existing) }, { signal })
}

async function replace<T extends KubeObject>(
  collection: Collection<T>,
  wanted: Named<T>,
  existing: Stored<T>,
  signal: AbortSignal,
): Promise<Stored<T>> {
  await dropFinalizers(collection, existing, wanted.metadata.finalizers ?? [], signal)
  if (!existing.metadata.deletionTimestamp)
    await collection.delete(wanted.metadata.name, { signal, preconditions: { uid: existing.metadata.uid } })
  try {
    return await collection.create(wanted, { signal })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    const kind = existing.kind ?? 'the object'
    throw failures.RIGHTS_BEING_DELETED({ kind, name: wanted.metadata.name }, error)
  }
}

/** Guarded by the version, so that a finalizer somebody else adds meanwhile is not lost. */
export async function dropFinalizers<T extends KubeObject>(
  collection: Collection<T>,
  { metadata }: Stored<T>,
  ours: readonly string[],
  signal: AbortSignal,
): Promise<Stored<T> | undefined> {
  const { name, resourceVersion, finalizers = [] } = metadata
  const rest = finalizers.filter((finalizer) => !ours.includes(finalizer))
  if (rest.length === finalizers.length) return undefined
  const body = { metadata: { resourceVersion, finalizers: rest } }
  return await collection.patch(name, { type: 'merge', body }, { signal })
}
