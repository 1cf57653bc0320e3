import type { Handler, Informer } from '../../../kube/informer.ts'
import type { KubeObject, Stored } from '../../../kube/objects.ts'
import { keyOf } from '../../../kube/objects.ts'
import type { Change, IndexValues } from '../../../kube/store.ts'
import { Store } from '../../../kube/store.ts'

/** An informer without a server: what is put into it is what there is. */
export class HeldObjects<T extends KubeObject, Index extends string = never> implements Informer<T, Index> {
  readonly #store: Store<T, Index>
  readonly #handlers = new Set<Handler<T>>()
  #version = 0
  isSynced = true
  /** Undefined: it is heard of all the time. */
  lastHeard: Date | undefined
  readonly #now: () => Date

  constructor(indexes: Readonly<Record<Index, IndexValues<T>>>, now = () => new Date(0)) {
    this.#store = new Store(indexes)
    this.#now = now
  }

  /** With a new version; its uid is its key, unless it has one. */
  put(object: T): Stored<T> {
    this.#version += 1
    const key = keyOf(object)
    const metadata = { uid: key, ...object.metadata, resourceVersion: `${this.#version}` }
    const stored = { ...object, metadata } as Stored<T>
    this.#tell(this.#store.put(stored))
    return stored
  }

  remove(key: string): void {
    this.#tell(this.#store.remove(key))
  }

  #tell(changes: readonly Change<T>[]): void {
    for (const change of changes) for (const handler of this.#handlers) handler(change)
  }

  on(handler: Handler<T>): Disposable {
    for (const object of this.#store.list()) handler({ type: 'added', object })
    this.#handlers.add(handler)
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) }
  }

  get heardAt() {
    return this.lastHeard ?? this.#now()
  }
  check = async () => {}
  run = async () => {}
  synced = async () => {}
  until = () => Promise.reject(new Error('nobody waits here'))
  get = (key: string) => this.#store.get(key)
  list = () => this.#store.list()
  byIndex = (name: Index, value: string) => this.#store.byIndex(name, value)
  get size() {
    return this.#store.size
  }
}
