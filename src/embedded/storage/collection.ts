import { compareNamespaces, indexFrom, insertSorted, removeSorted } from './order.ts'
import type { EarlierStates } from './shelf.ts'
import { Shelf } from './shelf.ts'
import type { Entry, Page, Query } from './store.ts'

/** By namespace, where anything differs from now. */
export type Earlier = ReadonlyMap<string, EarlierStates>

const noneEarlier: Earlier = new Map()
const empty = new Shelf()

/** The current objects of one storage, by namespace and in order. */
export class Collection {
  readonly #shelves = new Map<string, Shelf>()
  #namespaces: string[] | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get(namespace: string, name: string): Entry | undefined {
    return this.#shelves.get(namespace)?.get(name)
  }

  put(entry: Entry): void {
    const shelf = this.#shelves.get(entry.namespace) ?? this.#addShelf(entry.namespace)
    const before = shelf.size
    shelf.put(entry)
    this.#size += shelf.size - before
  }

  remove(namespace: string, name: string): void {
    const shelf = this.#shelves.get(namespace)
    if (!shelf) return
    const before = shelf.size
    shelf.remove(name)
    this.#size += shelf.size - before
    if (shelf.size > 0) return
    this.#shelves.delete(namespace)
    if (this.#namespaces) removeSorted(this.#namespaces, namespace, compareNamespaces)
  }

  page(query: Query, earlier: Earlier = noneEarlier): Omit<Page, 'revision'> {
    const after = query.after === undefined ? undefined : splitKey(query.after)
    const entries: Entry[] = []
    const limit = query.limit || Number.POSITIVE_INFINITY
    let remaining = 0
    for (const namespace of this.#namespacesOf(query, earlier, after?.namespace)) {
      const shelf = this.#shelves.get(namespace) ?? empty
      remaining += shelf.take(entries, {
        limit: limit - entries.length,
        after: namespace === after?.namespace ? after.name : undefined,
        earlier: earlier.get(namespace),
      })
    }
    return { entries, remaining }
  }

  #namespacesOf(query: Query, earlier: Earlier, from: string | undefined): readonly string[] {
    const namespaces = query.namespace === undefined ? this.#allNamespaces(earlier) : [query.namespace]
    return from === undefined ? namespaces : namespaces.slice(indexFrom(namespaces, from, compareNamespaces))
  }

  #allNamespaces(earlier: Earlier): readonly string[] {
    this.#namespaces ??= [...this.#shelves.keys()].sort(compareNamespaces)
    const gone = [...earlier.keys()].filter((namespace) => !this.#shelves.has(namespace))
    return gone.length === 0 ? this.#namespaces : [...this.#namespaces, ...gone].sort(compareNamespaces)
  }

  #addShelf(namespace: string): Shelf {
    const shelf = new Shelf()
    this.#shelves.set(namespace, shelf)
    if (this.#namespaces) insertSorted(this.#namespaces, namespace, compareNamespaces)
    return shelf
  }
}

const splitKey = (key: string) => {
  const slash = key.indexOf('/')
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}
