import { othersFirst } from '../in-slices.ts'
import type { Store } from '../storage/store.ts'

/** Of each object that is being changed, when the last change that waits ends. */
const ends = new WeakMap<Store, Map<string, Promise<void>>>()

/**
 * Changes of one object, one after the other: of those that begin on the same state all but one would do their work in
 * vain. Disposing what it resolves to lets the next one begin; whoever waits for others meanwhile does so before.
 */
export async function turnAt(store: Store, object: string): Promise<Disposable> {
  const ofStore = ends.get(store) ?? new Map<string, Promise<void>>()
  ends.set(store, ofStore)
  const before = ofStore.get(object)
  const { promise: end, resolve } = Promise.withResolvers<void>()
  ofStore.set(object, end)
  if (before) {
    await before
    await othersFirst()
  }
  return {
    [Symbol.dispose]() {
      if (ofStore.get(object) === end) ofStore.delete(object)
      resolve()
    },
  }
}
