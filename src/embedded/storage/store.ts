import type { ApiObject } from '../objects.ts'

/** One state of one object. Never changes; the next state is another entry. */
export interface Entry {
  /** Where it is kept: the resource's name with its group, `configmaps`, `leases.coordination.k8s.io`. */
  readonly storage: string
  /** Empty for what is cluster-scoped. */
  readonly namespace: string
  readonly name: string
  /** The revision that made it, and its `metadata.resourceVersion`. */
  readonly revision: number
  /** The object in its storage version, as JSON. */
  readonly text: string
  /** When it was committed, in milliseconds since 1970. */
  readonly writtenAt: number
}

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly revision: number
  /** The state after the change; of a deletion, the last state under the deletion's revision. */
  readonly entry: Entry
  /** The state before, unless it was ADDED. */
  readonly before: Entry | undefined
}

export interface Write {
  readonly storage: string
  readonly namespace: string
  readonly name: string
  /** The revision of the state that this follows; 0 where there must be none. */
  readonly follows: number
  /** The new state; its resourceVersion is set by the store. Undefined deletes. */
  readonly object: ApiObject | undefined
}

export interface Query {
  namespace?: string
  /** The state as of this revision, which must not be older than `oldestRevision`. Default: now. */
  at?: number
  /** Only what comes after this key (`namespace/name`, `/name`), in the order of keys. */
  after?: string
  limit?: number
}

export interface Page {
  readonly entries: readonly Entry[]
  /** The revision this is the state of. */
  readonly revision: number
  /** How many more there are behind the last entry. */
  readonly remaining: number
}

/**
 * All objects: in memory for reading, on disk before a write is acknowledged. Reads never see what is not on disk.
 * One global revision counts all changes and is never used twice, whatever happens to the process.
 */
export interface Store {
  /** Of the last committed change. */
  readonly revision: number
  /** Changes up to this one are forgotten: nothing can be read or watched from before it. */
  readonly oldestRevision: number
  get(storage: string, namespace: string, name: string): Entry | undefined
  /** In the order of keys (`namespace/name`), bytewise: `a-b/x` comes before `a/x`. */
  list(storage: string, query?: Query): Page
  count(storage: string): number
  /** Those that hold something, or did. */
  storages(): readonly string[]
  /** Resolves when it is on disk and visible. Throws `StaleWrite`, `ObjectTooLarge`, or `StorageFailure` when the disk refuses. */
  write(write: Write): Promise<Entry>
  /** Changes after `revision`, oldest first; undefined when some of them are forgotten. Without storage: all. */
  changesSince(revision: number, storage?: string): readonly Change[] | undefined
  /** Called after each commit, in the order of revisions, before the writers are told. */
  subscribe(listener: (changes: readonly Change[]) => void): Disposable
  /** Makes the history begin with the next change: `oldestRevision` becomes `revision`, also after a restart. */
  forgetHistory(): Promise<void>
  /** Deletes what only the history needed, and gives the room back to the disk. Nobody is served meanwhile. */
  compact(): Promise<void>
  /** Waits for what is being written. */
  close(): Promise<void>
}

/** Somebody else was faster: the state that a write follows is not the current one. */
export class StaleWrite extends Error {
  readonly current: Entry | undefined

  constructor(current: Entry | undefined) {
    super('the object has changed since it was read')
    this.name = 'StaleWrite'
    this.current = current
  }
}

/** An object would become larger than any may be. */
export class ObjectTooLarge extends Error {
  constructor() {
    super('the object is too large to be stored')
    this.name = 'ObjectTooLarge'
  }
}

/** The disk did not take a write. Nothing of it happened. */
export class StorageFailure extends Error {
  readonly isFull: boolean

  constructor(message: string, isFull: boolean, cause: unknown) {
    super(message, { cause })
    this.name = 'StorageFailure'
    this.isFull = isFull
  }
}
