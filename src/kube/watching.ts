import { isDeepStrictEqual } from 'node:util'
import type { Informer } from './informer.ts'
import type { Key, KubeObject, Stored } from './objects.ts'
import { keyOf } from './objects.ts'
import type { Change } from './store.ts'

/**
 * For `when`: an update counts only if what is looked at changes by it.
 *
 * @example watching(clusters, undefined, { when: changesOf(({ metadata }) => metadata.labels) })
 */
export const changesOf =
  <T extends KubeObject>(lookAt: (object: Stored<T>) => unknown) =>
  (change: Change<T>): boolean =>
    change.type !== 'updated' || !isDeepStrictEqual(lookAt(change.previous), lookAt(change.object))

/** A source of keys for a controller. */
export interface Watching {
  synced(signal?: AbortSignal): Promise<void>
  /** Calls `enqueue` for everything there is, then for everything that changes. */
  subscribe(enqueue: (key: Key) => void): Disposable
}

export interface WatchingOptions<T extends KubeObject> {
  /** Changes that matter. Default: all. What exists at the start of a run is an addition. */
  when?: (change: Change<T>) => boolean
}

/**
 * The keys to reconcile when an object of `informer` changes; its own unless `toKeys` says otherwise. After an update
 * the keys of the previous state are asked for too: an object that moved away from its owner concerns both.
 *
 * @example watching(secrets, ({ metadata }) => metadata.labels?.['lanyard.io/cluster'] ?? [])
 */
export function watching<T extends KubeObject>(
  informer: Pick<Informer<T>, 'on' | 'synced'>,
  toKeys: (object: Stored<T>) => Key | readonly Key[] = keyOf,
  { when = () => true }: WatchingOptions<T> = {},
): Watching {
  return {
    synced: informer.synced,
    subscribe: (enqueue) =>
      informer.on((change) => {
        if (!when(change)) return
        const objects = change.type === 'updated' ? [change.previous, change.object] : [change.object]
        for (const key of new Set(objects.flatMap(toKeys))) enqueue(key)
      }),
  }
}
