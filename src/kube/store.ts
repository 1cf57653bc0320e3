import type { Key, KubeObject, Stored } from './objects.ts'
import { keyOf } from './objects.ts'

/** What happened to an object. `previous` and a deleted `object` are as last seen; the deletion itself may have been missed. */
export type Change<T extends KubeObject> =
  | { readonly type: 'added'; readonly object: Stored<T> }
  | { readonly type: 'updated'; readonly object: Stored<T>; readonly previous: Stored<T> }
  | { readonly type: 'deleted'; readonly object: Stored<T> }

/** The values under which an object is found; none leaves it out. */
export type IndexValues<T extends KubeObject> = (object: Stored<T>) => readonly string[]

/**
 * Objects by key and by index. They are shared by everyone who reads them and are never to be changed: whoever wants
 * another version of one copies it first (`structuredClone`).
 */
export interface StoreReader<T extends KubeObject, Index extends string = never> {
  get(key: Key): Stored<T> | undefined
  list(): Stored<T>[]
  /** What has `value` under the index of that name, in no order. */
  byIndex(name: Index, value: string): Stored<T>[]
  readonly size: number
}

export class Store<T extends KubeObject, Index extends string = never> implements StoreReader<T, Index> {
  readonly #objects = new Map<Key, Stored<T>>()
  readonly #indexes: { name: Index; values: IndexValues<T>; entries: Map<string, Map<Key, Stored<T>>> }[]

  /** `indexes` must be pure and must not throw: they are asked again when the object leaves. */
  constructor(indexes: Readonly<Record<Index, IndexValues<T>>>) {
    const named = Object.entries(indexes) as [Index, IndexValues<T>][]
    this.#indexes = named.map(([name, values]) => ({ name, values, entries: new Map() }))
  }

  get size(): number {
    return this.#objects.size
  }

  get(key: Key): Stored<T> | undefined {
    return this.#objects.get(key)
  }

  list(): Stored<T>[] {
    return [...this.#objects.values()]
  }

  byIndex(name: Index, value: string): Stored<T>[] {
    const index = this.#indexes.find((declared) => declared.name === name)
    if (!index) throw new Error(`there is no index ${name}`)
    return [...(index.entries.get(value)?.values() ?? [])]
  }

  /** Takes the object in. A new uid under a known key is a deletion that was missed, then an addition. */
  put(object: Stored<T>): Change<T>[] {
    const key = keyOf(object)
    const previous = this.#objects.get(key)
    if (previous?.metadata.uid === object.metadata.uid) {
      if (previous.metadata.resourceVersion === object.metadata.resourceVersion) return []
      this.#take(key, previous)
      this.#give(key, object)
      return [{ type: 'updated', object, previous }]
    }
    const missed = this.remove(key)
    this.#give(key, object)
    return [...missed, { type: 'added', object }]
  }

  /** Takes it out. `last` is its state at deletion, where that is known. */
  remove(key: Key, last?: Stored<T>): Change<T>[] {
    const known = this.#objects.get(key)
    if (!known) return []
    this.#take(key, known)
    return [{ type: 'deleted', object: last ?? known }]
  }

  /** Makes the store hold exactly `objects`. Deletions come first, so that a handler never sees two of one thing. */
  replace(objects: readonly Stored<T>[]): Change<T>[] {
    const present = new Set(objects.map(keyOf))
    const gone = [...this.#objects.keys()].filter((key) => !present.has(key))
    return [...gone.flatMap((key) => this.remove(key)), ...objects.flatMap((object) => this.put(object))]
  }

  #give(key: Key, object: Stored<T>): void {
    this.#objects.set(key, object)
    for (const { values, entries } of this.#indexes) {
      for (const value of values(object)) {
        const found = entries.get(value)
        if (found) found.set(key, object)
        else entries.set(value, new Map([[key, object]]))
      }
    }
  }

  #take(key: Key, object: Stored<T>): void {
    this.#objects.delete(key)
    for (const { values, entries } of this.#indexes) {
      for (const value of values(object)) {
        const found = entries.get(value)
        found?.delete(key)
        if (found?.size === 0) entries.delete(value)
      }
    }
  }
}
