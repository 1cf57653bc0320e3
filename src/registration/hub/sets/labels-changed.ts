import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../../../kube/objects.ts'
import type { Change } from '../../../kube/store.ts'

/** For `when`: membership follows from labels alone, and a status changes far more often than they do. */
export const labelsChanged = <T extends KubeObject>(change: Change<T>): boolean =>
  change.type !== 'updated' || !isDeepStrictEqual(change.object.metadata.labels, change.previous.metadata.labels)
