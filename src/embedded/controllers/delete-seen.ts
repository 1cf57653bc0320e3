import { isConflict } from '../../kube/failures.ts'
import type { CallOptions, Collection } from '../../kube/kube.ts'
import type { KubeObject, Stored } from '../../kube/objects.ts'

/** Deletes an object as it was seen. One that has changed since stays: its change is a reason to look again. */
export async function deleteSeen<T extends KubeObject>(
  collection: Pick<Collection<T>, 'delete'>,
  { metadata: { name, uid, resourceVersion } }: Stored<T>,
  options: CallOptions,
): Promise<void> {
  try {
    await collection.delete(name, { ...options, preconditions: { uid, resourceVersion } })
  } catch (error) {
    if (!isConflict(error)) throw error
  }
}
