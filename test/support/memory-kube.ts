import { isDeepStrictEqual } from 'node:util'
import { after, sleep } from '../../src/core/clock.ts'
import type {
  CallOptions,
  Collection,
  DeleteOptions,
  Kube,
  ListOptions,
  WatchEvent,
  WatchOptions,
} from '../../src/kube/kube.ts'
import type { KubeObject, Resource, Stored } from '../../src/kube/objects.ts'
import { apiVersionOf, keyOf } from '../../src/kube/objects.ts'
import type { FakeClock } from './fake-clock.ts'
import type { Call, Entry, Intercept } from './memory-kube-parts.ts'
import { isSelected, kubeFailure, MemoryWatch, merge, orAbort, specOf, unreachable } from './memory-kube-parts.ts'

export { kubeFailure, unreachable }

/**
 * A small Kubernetes API in memory, for the unit tests of `src/kube`. It keeps what controllers live by: versions,
 * conflicts, ordered watches with a bounded history, finalizers. It has no schemas, no defaulting, no admission, and its
 * server-side apply is a merge. Acceptance tests use real API servers instead.
 */
export class MemoryKube implements Kube {
  /** Every request that reached the server or was failed on its way; pages of a list count one each. */
  readonly calls: Call[] = []
  /** Every request takes this long to be answered. */
  delayMs = 0
  readonly clock: FakeClock
  readonly #historyLength: number
  readonly #objects = new Map<string, Map<string, Stored<KubeObject>>>()
  readonly #watches = new Set<{ concerns(entry: Entry): boolean; watch: MemoryWatch<KubeObject> }>()
  #planned: { verbs: Call['verb'][]; error: Error }[] = []
  #history: Entry[] = []
  #version = 1
  /** The newest version whose changes are no longer known. */
  #forgotten = 0

  constructor(clock: FakeClock, { historyLength = 1_000 } = {}) {
    this.clock = clock
    this.#historyLength = historyLength
  }

  of<T extends KubeObject>(resource: Resource<T>, namespace?: string): Collection<T> {
    return this.#collection(resource, namespace, (_call, proceed) => proceed())
  }

  /** The same objects as a caller sees them whose network misbehaves. */
  through(intercept: Intercept): Kube {
    return { of: (resource, namespace) => this.#collection(resource, namespace, intercept), request: this.request }
  }

  request = (): never => {
    throw new Error('MemoryKube serves objects only')
  }

  count(...verbs: Call['verb'][]): number {
    return this.calls.filter(({ verb }) => verbs.includes(verb)).length
  }
  failNext(times: number, error: Error, ...verbs: Call['verb'][]): void {
    this.#planned.push(...Array.from({ length: times }, () => ({ verbs, error })))
  }
  recover(): void {
    this.#planned = []
  }
  dropWatches(error: Error = unreachable()): void {
    for (const { watch } of this.#watches) watch.end(error)
  }
  endWatches(): void {
    for (const { watch } of this.#watches) watch.end()
  }
  /** A half-open connection: the watches that are open now never say anything again. */
  stallWatches(): void {
    for (const { watch } of this.#watches) watch.stall()
  }
  bookmark(): void {
    for (const { watch } of this.#watches) watch.bookmark(this.#version)
  }
  /** Forgets all history: what resumes from an older version than the newest one is told 410. */
  compact(): void {
    this.#forgotten = this.#version
    this.#history = []
  }
  /**
   * What is newer than `version` is silently gone and the counter starts there again, as after the restore of a backup.
   * Every connection is lost by it.
   */
  restore(version: number): void {
    for (const objects of this.#objects.values())
      for (const [key, { metadata }] of objects) if (Number(metadata.resourceVersion) > version) objects.delete(key)
    this.compact()
    this.#version = this.#forgotten = version
    this.dropWatches()
  }

  #collection<T extends KubeObject>(
    resource: Resource<T>,
    namespace: string | undefined,
    intercept: Intercept,
    view: (object: Stored<T>) => Stored<T> = (object) => object,
  ): Collection<T> {
    const { plural } = resource
    const group = `${resource.group}/${plural}`
    if (!this.#objects.has(group)) this.#objects.set(group, new Map())
    const objects = this.#objects.get(group) as Map<string, Stored<T>>
    const pathTo = (name: string) => (namespace ? `${namespace}/${name}` : name)
    const call = <R>(verb: Call['verb'], name: string | undefined, act: () => R, options: CallOptions = {}) => {
      const described = { verb, plural, ...(name !== undefined && { name }) }
      const answer = intercept(described, async () => {
        this.calls.push(described)
        if (this.delayMs > 0) await sleep(this.clock, this.delayMs)
        const planned = this.#planned.findIndex(({ verbs }) => verbs.length === 0 || verbs.includes(verb))
        if (planned >= 0) throw this.#planned.splice(planned, 1)[0]?.error
        return act()
      })
      return orAbort(answer, options.signal)
    }
    const existing = (name: string): Stored<T> => {
      const object = objects.get(pathTo(name))
      if (!object) throw kubeFailure(404, 'NotFound', name)
      return object
    }
    const write = (object: T, previous?: Stored<T>, isDeleted = false): Stored<T> => {
      const version = ++this.#version
      const metadata = { ...object.metadata, resourceVersion: `${version}` }
      const stored = { ...object, metadata } as Stored<T>
      const gone = isDeleted || (metadata.deletionTimestamp && (metadata.finalizers ?? []).length === 0)
      if (gone) objects.delete(keyOf(stored))
      else objects.set(keyOf(stored), stored)
      const entry = { version, group, previous, object: stored, isDeleted: Boolean(gone) }
      this.#history.push(entry)
      if (this.#history.length > this.#historyLength) this.#forgotten = this.#history.shift()?.version ?? 0
      for (const { concerns, watch } of this.#watches) if (concerns(entry)) watch.push(entry)
      return structuredClone(stored)
    }
    const create = (given: T): Stored<T> => {
      const object = structuredClone(given)
      const name = object.metadata?.name ?? `${object.metadata?.generateName}${this.#version}`
      if (objects.has(pathTo(name))) throw kubeFailure(409, 'AlreadyExists', name)
      const creationTimestamp = this.clock.now().toISOString()
      const identity = { name, uid: `uid-${this.#version}`, generation: 1, creationTimestamp }
      const metadata = { ...object.metadata, ...(namespace && { namespace }), ...identity }
      return write({ apiVersion: apiVersionOf(resource), kind: resource.kind, ...object, metadata })
    }
    const replace = (name: string, given: T, subresource?: string): Stored<T> => {
      const old = existing(name)
      const { resourceVersion = old.metadata.resourceVersion, ...metadata } = given.metadata ?? {}
      if (resourceVersion !== old.metadata.resourceVersion) throw kubeFailure(409, 'Conflict', name)
      const { uid, creationTimestamp, deletionTimestamp, generation = 1 } = old.metadata
      const kept = { uid, creationTimestamp, ...(deletionTimestamp && { deletionTimestamp }), resourceVersion }
      const { status } = given as { status?: unknown }
      const replaced = subresource ? { ...old, status } : { ...given, metadata: { ...metadata, ...kept } }
      const next = replaced as Stored<T>
      const isSameSpec = isDeepStrictEqual(specOf(next), specOf(old))
      next.metadata = { ...next.metadata, generation: isSameSpec ? generation : generation + 1 }
      return isDeepStrictEqual(next, old) ? structuredClone(old) : write(structuredClone(next), old)
    }
    const remove = (name: string, { preconditions = {} }: DeleteOptions = {}): boolean => {
      const old = objects.get(pathTo(name))
      if (!old) return false
      if (!isDeepStrictEqual({ ...old.metadata, ...preconditions }, old.metadata))
        throw kubeFailure(409, 'Conflict', name)
      if ((old.metadata.finalizers ?? []).length === 0) write(old, old, true)
      else if (!old.metadata.deletionTimestamp) {
        const deletionTimestamp = this.clock.now().toISOString()
        write({ ...old, metadata: { ...old.metadata, deletionTimestamp } }, old)
      }
      return true
    }
    const isInScope = (object: KubeObject) => !namespace || object.metadata?.namespace === namespace

    const pages = async function* (this: MemoryKube, { pageSize: limit = 500, ...options }: ListOptions = {}) {
      const pageSize = limit || Number.POSITIVE_INFINITY
      let all: Stored<T>[] | undefined
      let version = 0
      for (let start = 0; all === undefined || start < all.length; start += pageSize) {
        const page = () => {
          version ||= this.#version
          if (all && version < this.#forgotten) throw kubeFailure(410, 'Expired')
          all ??= [...objects.values()].filter((object) => isInScope(object) && isSelected(object, options))
          const more = start + pageSize < all.length && { continue: `${version}:${start + pageSize}` }
          return {
            metadata: { resourceVersion: `${version}`, ...more },
            items: structuredClone(all.slice(start, start + pageSize)).map(view),
          }
        }
        yield await call('list', undefined, page, options)
      }
    }.bind(this)

    const watch = async function* (this: MemoryKube, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
      const from = Number(options.resourceVersion ?? this.#version)
      const opened = new MemoryWatch<T>(options, from)
      const concerns = (entry: Entry) => entry.group === group && isInScope(entry.object)
      const open = { concerns, watch: opened as MemoryWatch<KubeObject> }
      const connect = () => {
        if (options.signal?.aborted) return
        if (from < this.#forgotten) throw kubeFailure(410, 'Expired')
        for (const entry of this.#history) if (concerns(entry)) opened.push(entry)
        this.#watches.add(open)
      }
      await call('watch', undefined, connect, options)
      const { timeoutSeconds = 450 } = options
      using _ = this.clock.timer(after(this.clock.now(), timeoutSeconds * 1_000), () => opened.end())
      try {
        for await (const event of opened.events())
          yield event.type === 'BOOKMARK' ? event : { ...event, object: view(event.object) }
      } finally {
        this.#watches.delete(open)
      }
    }.bind(this)

    const found = (object: Stored<T> | undefined) => object && view(structuredClone(object))
    const collection: Omit<Collection<T>, 'metadata'> = {
      get: (name, options) => call('get', name, () => view(structuredClone(existing(name))), options),
      find: (name, options) => call('get', name, () => found(objects.get(pathTo(name))), options),
      pages,
      list: async (options) => {
        const all = { metadata: { resourceVersion: '' }, items: [] as Stored<T>[] }
        for await (const { metadata, items } of pages(options)) {
          all.metadata = metadata
          all.items.push(...items)
        }
        return all
      },
      watch,
      create: (object, options) => call('create', object.metadata?.name, () => create(object), options),
      update: (object, options = {}) => {
        const name = `${object.metadata?.name}`
        return call('update', name, () => replace(name, object, options.subresource), options)
      },
      patch: (name, patch, options = {}) => {
        if (patch.type === 'json') throw new Error('MemoryKube patches by merge only')
        const act = () => replace(name, merge(existing(name), patch.body) as T, options.subresource)
        return call('patch', name, act, options)
      },
      apply: (object, options) => {
        const { name } = object.metadata
        const old = () => objects.get(pathTo(name))
        const act = () => (old() ? replace(name, merge(old(), object) as T, options.subresource) : create(object))
        return call('apply', name, act, options)
      },
      delete: (name, options) => call('delete', name, () => remove(name, options), options),
      deleteCollection: () => Promise.reject(new Error('MemoryKube deletes one by one')),
      createSubresource: () => Promise.reject(new Error('MemoryKube has no such subresource')),
    }
    const partial = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' }
    const onlyMetadata = ({ metadata }: Stored<T>) => ({ ...partial, metadata }) as Stored<T>
    return Object.defineProperty(collection as Collection<T>, 'metadata', {
      get: () => this.#collection(resource, namespace, intercept, onlyMetadata),
    })
  }
}
