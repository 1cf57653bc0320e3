import type { Earlier } from './collection.ts'
import type { Change, Entry } from './store.ts'

/** The latest changes, of all storages and of each, so that a watcher of one does not pay for the others. */
export class History {
  readonly #all = new Tail()
  readonly #byStorage = new Map<string, Tail>()
  readonly #limit: number
  #oldestRevision: number

  constructor(limit: number, oldestRevision: number) {
    this.#limit = limit
    this.#oldestRevision = oldestRevision
  }

  get oldestRevision(): number {
    return this.#oldestRevision
  }

  /** Returns what no longer fits and is forgotten, oldest first. */
  add(change: Change): readonly Change[] {
    this.#all.push(change)
    const { storage } = change.entry
    const own = this.#byStorage.get(storage) ?? new Tail()
    own.push(change)
    this.#byStorage.set(storage, own)
    return this.#all.size > this.#limit ? this.#drop(this.#all.size - this.#limit) : []
  }

  /** Forgets everything up to `revision`, which is that of the last change. */
  forgetAll(revision: number): readonly Change[] {
    const forgotten = this.#drop(this.#all.size)
    this.#oldestRevision = revision
    return forgotten
  }

  since(revision: number, storage?: string): readonly Change[] | undefined {
    if (revision < this.#oldestRevision) return undefined
    const tail = storage === undefined ? this.#all : this.#byStorage.get(storage)
    return tail?.since(revision) ?? []
  }

  /** The states at `revision` of what has changed since. */
  earlier(revision: number, storage: string): Earlier {
    const earlier = new Map<string, Map<string, Entry | undefined>>()
    for (const { entry, before } of this.#byStorage.get(storage)?.since(revision) ?? []) {
      const states = earlier.get(entry.namespace) ?? new Map<string, Entry | undefined>()
      earlier.set(entry.namespace, states)
      if (!states.has(entry.name)) states.set(entry.name, before)
    }
    return earlier
  }

  #drop(count: number): readonly Change[] {
    const dropped = this.#all.drop(count)
    for (const { entry, revision } of dropped) {
      const { storage } = entry
      const own = this.#byStorage.get(storage)
      own?.drop(1)
      if (own?.size === 0) this.#byStorage.delete(storage)
      this.#oldestRevision = revision
    }
    return dropped
  }
}

/** A list that grows at its end and is dropped from its front without moving the rest each time. */
class Tail {
  #changes: (Change | undefined)[] = []
  #start = 0

  get size(): number {
    return this.#changes.length - this.#start
  }

  push(change: Change): void {
    this.#changes.push(change)
  }

  drop(count: number): Change[] {
    const end = this.#start + count
    const dropped = this.#changes.slice(this.#start, end) as Change[]
    this.#changes.fill(undefined, this.#start, end)
    this.#start = end
    if (this.#start * 2 > this.#changes.length) {
      this.#changes = this.#changes.slice(this.#start)
      this.#start = 0
    }
    return dropped
  }

  since(revision: number): Change[] {
    let [low, high] = [this.#start, this.#changes.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#changes[middle] as Change).revision <= revision) low = middle + 1
      else high = middle
    }
    return this.#changes.slice(low) as Change[]
  }
}
