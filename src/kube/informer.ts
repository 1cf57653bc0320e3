import type { Run } from '../core/lifecycle.ts'
import type { ListWatchOptions, Source } from './list-watch.ts'
import { listWatch } from './list-watch.ts'
import type { KubeObject, Stored } from './objects.ts'
import { keyOf } from './objects.ts'
import type { Change, IndexValues, StoreReader } from './store.ts'
import { Store } from './store.ts'

export interface InformerOptions<T extends KubeObject, Index extends string = never> extends ListWatchOptions {
  indexes?: Readonly<Record<Index, IndexValues<T>>>
  /** Makes what is kept out of what the server sent, to save memory. It may change its argument and must keep `metadata`'s identity. */
  transform?: (object: Stored<T>) => Stored<T>
  /** Freezes every object, so that whoever changes a shared one throws. For tests: it costs a walk over each object. */
  freeze?: boolean
}

/** Called in the order things happened, at once, before anything else is read; it should only take note. */
export type Handler<T extends KubeObject> = (change: Change<T>) => void

/**
 * The objects of a collection, kept in memory and up to date. What is read may lag behind the server but never goes
 * back; while the connection is lost it stays as last seen. There is no resync: nothing is missed that it would find.
 */
export interface Informer<T extends KubeObject, Index extends string = never> extends StoreReader<T, Index> {
  /** One run at a time. What was kept when a run ended is compared with the list that begins the next one. */
  readonly run: Run
  /** Resolves once everything that existed at the start is here; rejects with the signal's reason. */
  synced(signal?: AbortSignal): Promise<void>
  readonly isSynced: boolean
  /**
   * When the server last showed that nothing is missing here: by a list, an event, a bookmark, or an answer to `check`.
   * An API server sends bookmarks about once a minute, but none for a kind that did not change since it started.
   */
  readonly heardAt: Date | undefined
  /** Asks the server, for whoever has not heard of it for long. Several who ask at once ask once. Without a watch it asks nothing. */
  check(): Promise<void>
  /** Tells `handler` of everything from now on; what is already here it is told as added, before this returns. */
  on(handler: Handler<T>): Disposable
  /** Resolves with what `predicate` finds, once it finds something in a synced store. For commands and tests. */
  until<R>(predicate: (store: StoreReader<T, Index>) => R, signal?: AbortSignal): Promise<Exclude<R, Falsy>>
}

type Falsy = false | undefined | null

export function informer<T extends KubeObject, const Index extends string = never>(
  source: Source<T>,
  options: InformerOptions<T, Index>,
): Informer<T, Index> {
  const { log, transform, freeze = false, indexes = {} as Record<Index, IndexValues<T>> } = options
  /** Code of others, which must not stop the informer: what it throws is logged, and `instead` is used. */
  const guarded = <A, R>(name: string, ask: (given: A) => R, instead: (given: A) => R) => {
    return (given: A): R => {
      try {
        return ask(given)
      } catch (err) {
        log.error({ err, callback: name }, 'informer callback failed')
        return instead(given)
      }
    }
  }
  const guardedIndexes = Object.entries(indexes as Record<string, IndexValues<T>>).map(([name, values]) => [
    name,
    guarded(`index ${name}`, values, () => []),
  ])
  const store = new Store<T, Index>(Object.fromEntries(guardedIndexes))
  const prepare = transform && guarded('transform', transform, (object) => object)
  const handlers = new Set<Handler<T>>()
  const waiting = new Set<() => void>()
  let isSynced = false
  let isRunning = false
  let heardAt: Date | undefined
  let ask: (() => Promise<void>) | undefined
  let asking: Promise<void> | undefined

  const tell = (changes: readonly Change<T>[]) => {
    // A copy: a handler that is added on the way has been told of these already.
    for (const handler of [...handlers]) for (const change of changes) if (handlers.has(handler)) handler(change)
    for (const look of waiting) look()
  }

  const follow = listWatch(
    source,
    {
      receive(object) {
        const kept = prepare ? prepare(object) : object
        return freeze ? deepFreeze(kept) : kept
      },
      replace(objects) {
        const changes = store.replace(objects)
        isSynced = true
        tell(changes)
      },
      change(type, object) {
        tell(type === 'DELETED' ? store.remove(keyOf(object), object) : store.put(object))
      },
      forget() {
        isSynced = false
        tell(store.replace([]))
      },
      heard() {
        heardAt = options.clock.now()
      },
      following(check) {
        ask = check
      },
    },
    options,
  )

  /** Looks now and after every change, until `look` finds something. */
  const wait = <R>(look: () => R, signal?: AbortSignal): Promise<Exclude<R, Falsy>> =>
    new Promise((resolve, reject) => {
      const stop = () => {
        waiting.delete(attempt)
        signal?.removeEventListener('abort', onAbort)
      }
      const onAbort = () => {
        stop()
        reject(signal?.reason)
      }
      const attempt = () => {
        try {
          const found = isSynced && look()
          if (found === false || found === undefined || found === null) return
          stop()
          resolve(found as Exclude<R, Falsy>)
        } catch (error) {
          stop()
          reject(error)
        }
      }
      if (signal?.aborted) return reject(signal.reason)
      waiting.add(attempt)
      signal?.addEventListener('abort', onAbort, { once: true })
      attempt()
    })

  const self: Informer<T, Index> = {
    async run(signal) {
      if (isRunning) throw new Error('this informer already runs')
      isRunning = true
      isSynced = false
      try {
        await follow(signal)
      } finally {
        isRunning = false
      }
    },
    synced: async (signal) => void (await wait(() => true, signal)),
    on(handler) {
      const safely = guarded('handler', handler, () => {})
      for (const object of store.list()) safely({ type: 'added', object })
      handlers.add(safely)
      return { [Symbol.dispose]: () => void handlers.delete(safely) }
    },
    until: (predicate, signal) => wait(() => predicate(self), signal),
    get: (key) => store.get(key),
    list: () => store.list(),
    byIndex: (name, value) => store.byIndex(name, value),
    get size() {
      return store.size
    },
    get isSynced() {
      return isSynced
    },
    get heardAt() {
      return heardAt
    },
    check() {
      asking ??= (async () => ask?.())().finally(() => {
        asking = undefined
      })
      return asking
    },
  }
  return self
}

/** For `transform`: managed fields are often half of an object, and only the server reads them. */
export function withoutManagedFields<T extends KubeObject>(object: Stored<T>): Stored<T> {
  delete object.metadata.managedFields
  return object
}

function deepFreeze<V>(value: V): V {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const part of Object.values(value)) deepFreeze(part)
  return Object.freeze(value)
}
