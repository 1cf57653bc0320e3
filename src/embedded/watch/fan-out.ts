import type { Change, Store } from '../storage/store.ts'

/** Told of every change in the place it watches, in order, right after each is on disk. */
export type Listener = (change: Change) => void

/** What is watched: a resource, or a namespace or one name of it. */
export interface Place {
  readonly storage: string
  readonly namespace: string
  readonly name: string | undefined
}

/**
 * One subscription to the store for all watches. They are found by the place they watch, so that a change costs as much
 * as there are watches that may want it, however many others there are.
 */
export class FanOut implements Disposable {
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #subscription: Disposable

  constructor(store: Store) {
    this.#subscription = store.subscribe((changes) => {
      const failures: unknown[] = []
      for (const change of changes) this.#tell(change, failures)
      // Once all are told: the store logs it.
      if (failures.length > 0) throw failures[0]
    })
  }

  /** Of all places, for metrics. */
  get size(): number {
    let size = 0
    for (const listeners of this.#listeners.values()) size += listeners.size
    return size
  }

  listen(place: Place, listener: Listener): Disposable {
    const key = keyOf(place.storage, place.namespace, place.name ?? '')
    const listeners = this.#listeners.get(key) ?? new Set()
    this.#listeners.set(key, listeners.add(listener))
    return {
      [Symbol.dispose]: () => {
        listeners.delete(listener)
        if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key)
      },
    }
  }

  #tell(change: Change, failures: unknown[]): void {
    const { storage, namespace, name } = change.entry
    const places = new Set([
      keyOf(storage, '', ''),
      keyOf(storage, namespace, ''),
      keyOf(storage, '', name),
      keyOf(storage, namespace, name),
    ])
    for (const place of places) {
      for (const listener of this.#listeners.get(place) ?? [])
        try {
          listener(change)
        } catch (error) {
          failures.push(error)
        }
    }
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]()
  }
}

const keyOf = (storage: string, namespace: string, name: string): string => `${storage}\n${namespace}\n${name}`
