import { setTimeout as pause } from 'node:timers/promises'
import { othersFirst } from '../in-slices.ts'
import type { Store } from '../storage/store.ts'

/** Of each object that is being changed, when the last change that waits ends, and how many milliseconds it took. */
const ends = new WeakMap<Store, Map<string, Promise<number>>>()

/** From where on a change leaves others as much time as a quarter of its own. */
const longMs = 20

/**
 * Changes of one object, one after the other: of those that begin on the same state all but one would do their work in
 * vain. Disposing what it resolves to lets the next one begin; whoever waits for others meanwhile does so before.
 */
export async function turnAt(store: Store, object: string): Promise<Disposable> {
  const ofStore = ends.get(store) ?? new Map<string, Promise<number>>()
  ends.set(store, ofStore)
  const before = ofStore.get(object)
  const { promise: end, resolve } = Promise.withResolvers<number>()
  ofStore.set(object, end)
  if (before) {
    const tookMs = await before
    await (tookMs < longMs ? othersFirst() : pause(tookMs / 4))
  }
  const began = performance.now()
  return {
    [Symbol.dispose]() {
      if (ofStore.get(object) === end) ofStore.delete(object)
      resolve(performance.now() - began)
    },
  }
}
