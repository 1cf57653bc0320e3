import { Collection } from './collection.ts'
import type { Row } from './database.ts'
import { History } from './history.ts'
import type { Change, Entry, Page, Query } from './store.ts'

/** All that can be read, in memory: the current objects, the latest changes, and which rows on disk neither needs. */
export class State {
  readonly #collections = new Map<string, Collection>()
  readonly #history: History
  #needless: number[] = []
  #revision: number

  constructor(historyLimit: number, oldestRevision: number) {
    this.#history = new History(historyLimit, oldestRevision)
    this.#revision = oldestRevision
  }

  get revision(): number {
    return this.#revision
  }

  get oldestRevision(): number {
    return this.#history.oldestRevision
  }

  /** Revisions of rows that may be deleted, all of them up to `oldestRevision`. */
  get needless(): readonly number[] {
    return this.#needless
  }

  get(storage: string, namespace: string, name: string): Entry | undefined {
    return this.#collections.get(storage)?.get(namespace, name)
  }

  count(storage: string): number {
    return this.#collections.get(storage)?.size ?? 0
  }

  storages(): readonly string[] {
    return [...this.#collections.keys()]
  }

  list(storage: string, query: Query): Page {
    const revision = Math.min(query.at ?? this.#revision, this.#revision)
    if (revision < this.oldestRevision) throw new RangeError('the state at this revision is forgotten')
    const earlier = revision < this.#revision ? this.#history.earlier(revision, storage) : undefined
    const collection = this.#collections.get(storage) ?? new Collection()
    return { ...collection.page(query, earlier), revision }
  }

  changesSince(revision: number, storage?: string): readonly Change[] | undefined {
    return this.#history.since(revision, storage)
  }

  apply(change: Change): void {
    this.#show(change)
    this.#markNeedless(this.#history.add(change))
  }

  /** Takes the rows of a database, oldest first. */
  load(rows: Iterable<Row>): void {
    const shared = new Map<string, string>()
    for (const row of rows) {
      const entry = entryOf(row, shared)
      const before = this.get(entry.storage, entry.namespace, entry.name)
      const type = row.deleted ? 'DELETED' : before ? 'MODIFIED' : 'ADDED'
      const change: Change = { type, revision: row.revision, entry, before }
      if (row.revision > this.oldestRevision) this.apply(change)
      else {
        this.#show(change)
        this.#markNeedless([change])
      }
    }
  }

  forgetHistory(): void {
    this.#markNeedless(this.#history.forgetAll(this.#revision))
  }

  swept(count: number): void {
    this.#needless = this.#needless.slice(count)
  }

  #show({ type, revision, entry }: Change): void {
    const { storage, namespace, name } = entry
    const collection = this.#collections.get(storage) ?? new Collection()
    this.#collections.set(storage, collection)
    if (type === 'DELETED') collection.remove(namespace, name)
    else collection.put(entry)
    this.#revision = Math.max(this.#revision, revision)
  }

  #markNeedless(forgotten: readonly Change[]): void {
    for (const { type, revision, before } of forgotten) {
      if (before) this.#needless.push(before.revision)
      if (type === 'DELETED') this.#needless.push(revision)
    }
  }
}

/** The same few storages and namespaces come with every row: one string each is kept. */
function entryOf({ storage, namespace, name, revision, text, writtenAt }: Row, shared: Map<string, string>): Entry {
  const sharedText = (value: string): string => {
    const known = shared.get(value)
    if (known === undefined) shared.set(value, value)
    return known ?? value
  }
  return { storage: sharedText(storage), namespace: sharedText(namespace), name, revision, text, writtenAt }
}
