import { join } from 'node:path'
import type { Checkpoint } from '../../core/checkpoint.ts'
import { passBy } from '../../core/checkpoint.ts'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Verdict } from './batch.ts'
import { decideBatch } from './batch.ts'
import type { Database, Sweep } from './database.ts'
import { openDatabase } from './database.ts'
import { privateFolder } from './private-files.ts'
import { openingFailure, writingFailure } from './sqlite-errors.ts'
import { State } from './state.ts'
import type { Change, Entry, Query, Store, Write } from './store.ts'
import { StorageFailure } from './store.ts'

export interface StoreOptions {
  /** Holds `state.db`. To be locked first: see lock.ts. */
  dir: string
  clock: Pick<Clock, 'now'>
  log: Log
  /** How many changes are remembered for watchers and continued lists. Default 10,000. */
  historyLimit?: number
  /** The database takes no more than this many pages of 4 KiB. Default: what the disk has. */
  maxPages?: number
  /** Brings a written file on disk. Default: fdatasync. */
  sync?: (file: number) => Promise<void>
  checkpoint?: Checkpoint
}

export function openStore(options: StoreOptions): Store {
  const { dir, historyLimit = 10_000, maxPages, sync, checkpoint } = options
  privateFolder(dir)
  const path = join(dir, 'state.db')
  const database = openDatabase({ path, maxPages, sync, checkpoint })
  try {
    const state = new State(Math.max(1, historyLimit), database.oldestRevision)
    state.load(database.rows())
    return new SqliteStore(state, database, options)
  } catch (error) {
    database.close()
    throw openingFailure(path, error)
  }
}

/** Rows are deleted as part of a commit, this many at a time, once so many have come together. */
const sweepRows = 256

interface Writer {
  write: Write
  resolve(entry: Entry): void
  reject(error: Error): void
}

class SqliteStore implements Store {
  readonly #state: State
  readonly #database: Database
  readonly #clock: Pick<Clock, 'now'>
  readonly #log: Log
  readonly #checkpoint: Checkpoint
  readonly #listeners = new Set<(changes: readonly Change[]) => void>()
  #queue: Writer[] = []
  #turn: Promise<unknown> = Promise.resolve()
  /** Stays ahead of `revision` when a batch fails: what may be left of it on disk is never taken for something else. */
  #lastRevision: number
  #isFailing = false
  #closed: Promise<void> | undefined

  constructor(state: State, database: Database, { clock, log, checkpoint = passBy }: StoreOptions) {
    this.#state = state
    this.#database = database
    this.#clock = clock
    this.#log = log
    this.#checkpoint = checkpoint
    this.#lastRevision = state.revision
  }

  get revision(): number {
    return this.#state.revision
  }

  get oldestRevision(): number {
    return this.#state.oldestRevision
  }

  get(storage: string, namespace: string, name: string): Entry | undefined {
    return this.#state.get(storage, namespace, name)
  }

  list(storage: string, query: Query = {}) {
    return this.#state.list(storage, query)
  }

  count(storage: string): number {
    return this.#state.count(storage)
  }

  storages(): readonly string[] {
    return this.#state.storages()
  }

  changesSince(revision: number, storage?: string): readonly Change[] | undefined {
    return this.#state.changesSince(revision, storage)
  }

  subscribe(listener: (changes: readonly Change[]) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  write(write: Write): Promise<Entry> {
    if (this.#closed) return Promise.reject(new StorageFailure('the store is closed', false, undefined))
    return new Promise((resolve, reject) => {
      this.#queue.push({ write, resolve, reject })
      if (this.#queue.length === 1) setImmediate(() => this.#inTurn(() => this.#commitQueued()))
    })
  }

  forgetHistory(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#append([], { oldestRevision: this.revision, revisions: [] })
      this.#state.forgetHistory()
    })
  }

  async compact(): Promise<void> {
    await this.forgetHistory()
    this.#checkpoint('kube-compact.forgotten')
    await this.#inTurn(async () => {
      const { needless, oldestRevision } = this.#state
      await this.#append([], { oldestRevision, revisions: needless })
      this.#state.swept(needless.length)
      this.#checkpoint('kube-compact.swept')
      this.#database.shrink()
      this.#checkpoint('kube-compact.shrunk')
    })
  }

  close(): Promise<void> {
    this.#closed ??= this.#inTurn(async () => {
      await this.#commitQueued()
      this.#database.close()
    })
    return this.#closed
  }

  /** One thing at a time touches the disk. What is queued in the meantime goes together, next. */
  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(action)
    this.#turn = result.catch(() => {})
    return result
  }

  async #commitQueued(): Promise<void> {
    const writers = this.#queue
    this.#queue = []
    const verdicts = decideBatch(
      writers.map(({ write }) => write),
      {
        get: (storage, namespace, name) => this.#state.get(storage, namespace, name),
        lastRevision: this.#lastRevision,
        writtenAt: this.#clock.now().getTime(),
      },
    )
    const changes = verdicts.filter((verdict): verdict is Change => !(verdict instanceof Error))
    try {
      if (changes.length > 0) await this.#commit(changes)
    } catch (error) {
      for (const { reject } of writers) reject(error as StorageFailure)
      return
    }
    for (const [index, writer] of writers.entries()) settle(writer, verdicts[index] as Verdict)
  }

  async #commit(changes: readonly Change[]): Promise<void> {
    this.#lastRevision += changes.length
    const sweep = this.#nextSweep(changes.length)
    await this.#append(changes, sweep)
    if (sweep) this.#state.swept(sweep.revisions.length)
    for (const change of changes) this.#state.apply(change)
    for (const listener of this.#listeners) this.#tell(listener, changes)
  }

  async #append(changes: readonly Change[], sweep: Sweep | undefined): Promise<void> {
    try {
      await this.#database.append(changes, sweep)
    } catch (error) {
      const failure = writingFailure(error)
      if (!this.#isFailing) this.#log.error({ err: failure }, 'writes fail, reads go on')
      this.#isFailing = true
      throw failure
    }
    if (this.#isFailing) this.#log.info({ revision: this.#lastRevision }, 'writes work again')
    this.#isFailing = false
  }

  /** As many rows as new ones may make needless, so that a burst of writes does not leave a heap behind. */
  #nextSweep(written: number): Sweep | undefined {
    const { needless, oldestRevision } = this.#state
    // On a full disk, every row counts.
    if (needless.length < (this.#isFailing ? 1 : sweepRows)) return undefined
    return { oldestRevision, revisions: needless.slice(0, Math.max(sweepRows, written * 2)) }
  }

  #tell(listener: (changes: readonly Change[]) => void, changes: readonly Change[]): void {
    try {
      listener(changes)
    } catch (err) {
      this.#log.error({ err }, 'a subscriber of the store failed')
    }
  }
}

function settle({ resolve, reject }: Writer, verdict: Verdict): void {
  if (verdict instanceof Error) reject(verdict)
  else resolve(verdict.entry)
}
