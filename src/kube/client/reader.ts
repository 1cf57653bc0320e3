import type { Random } from '../../core/random.ts'
import { isAbsent, isExpired } from '../failures.ts'
import type { CallOptions, Collection, ListOptions, WatchEvent, WatchOptions } from '../kube.ts'
import type { KubeObject, List, Stored } from '../objects.ts'
import type { Address } from './address.ts'
import type { Calls } from './calls.ts'
import { nextPageIn } from './next-page.ts'
import { queryString } from './path.ts'
import type { View } from './view.ts'
import { WatchIterator } from './watch.ts'

const defaultPageSize = 500

/** A page under way, and the one after it where that is under way already. */
interface Asked<T extends KubeObject> {
  readonly start: string | undefined
  readonly page: Promise<List<T>>
  next?: Asked<T>
}

export interface ReaderDeps {
  caller: Calls
  address: Address
  view: View
  random: Random
}

/** The reading half of a collection. */
export class Reader<T extends KubeObject> implements Pick<Collection<T>, 'get' | 'find' | 'list' | 'pages' | 'watch'> {
  protected readonly deps: ReaderDeps

  constructor(deps: ReaderDeps) {
    this.deps = deps
  }

  get mostKeptBytes(): number {
    return this.deps.caller.mostKeptBytes
  }

  async get(name: string, options: CallOptions = {}): Promise<Stored<T>> {
    const { caller, address, view } = this.deps
    const call = { ...options, method: 'GET', accept: view.one, ...address.one('get', name) }
    return view.trim(await caller.object<Stored<T>>(call))
  }

  async find(name: string, options?: CallOptions): Promise<Stored<T> | undefined> {
    try {
      return await this.get(name, options)
    } catch (error) {
      if (isAbsent(error)) return undefined
      throw error
    }
  }

  async list(options: ListOptions = {}): Promise<List<T>> {
    const pages: List<T>[] = []
    try {
      for await (const page of this.#allPages(options)) pages.push(page)
    } catch (error) {
      // The continue token expired on the way, as on a busy server under a slow reader. One answer without pages cannot.
      if (!isExpired(error) || pages.length === 0) throw error
      return this.#page(options, undefined, undefined)
    }
    const [first] = pages as [List<T>]
    if (pages.length === 1) return first
    const { resourceVersion } = first.metadata
    return { metadata: { resourceVersion }, items: pages.flatMap((page) => page.items) }
  }

  async *pages(options: ListOptions = {}): AsyncIterable<List<T>> {
    const { pageSize = defaultPageSize } = options
    let next: string | undefined
    do {
      const page: List<T> = await this.#page(options, pageSize || undefined, next)
      next = page.metadata.continue || undefined
      yield page
    } while (next !== undefined)
  }

  /** As `pages`, for whoever wants them all: the next is asked for as soon as one begins to tell where that starts. */
  async *#allPages(options: ListOptions): AsyncIterable<List<T>> {
    const { pageSize = defaultPageSize } = options
    const over = new AbortController()
    const signal = options.signal ? AbortSignal.any([options.signal, over.signal]) : over.signal
    const ask = (start: string | undefined): Asked<T> => {
      const asked: Asked<T> = {
        start,
        page: this.#page({ ...options, signal }, pageSize || undefined, start, (begin) => {
          const next = nextPageIn(begin)
          if (next !== undefined) asked.next ??= ask(next)
        }),
      }
      // It may never be waited for.
      asked.page.catch(() => {})
      return asked
    }
    try {
      for (let asked = ask(undefined); ; ) {
        const page: List<T> = await asked.page
        const next: string | undefined = page.metadata.continue || undefined
        const ahead: Asked<T> | undefined = asked.next
        yield page
        if (next === undefined) return
        asked = ahead?.start === next ? ahead : ask(next)
      }
    } finally {
      over.abort()
    }
  }

  watch(options: WatchOptions = {}): AsyncIterable<WatchEvent<T>> {
    const { caller, address, view, random } = this.deps
    const { resourceVersion, sendInitialEvents, labelSelector, fieldSelector } = options
    const timeoutSeconds = options.timeoutSeconds ?? Math.floor(300 + 300 * random.fraction())
    const query = queryString({
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion,
      timeoutSeconds,
      labelSelector,
      fieldSelector,
      sendInitialEvents,
      resourceVersionMatch: sendInitialEvents === undefined ? undefined : 'NotOlderThan',
    })
    const call = { method: 'GET', accept: view.one, query, ...address.all }
    return new WatchIterator<T>({
      open: (signal) => caller.open({ ...call, signal }),
      signal: options.signal,
      trim: view.trim,
      method: call.method,
      path: call.path,
      server: caller.server,
    })
  }

  async #page(
    options: ListOptions,
    limit: number | undefined,
    next: string | undefined,
    onBegin?: (begin: Buffer) => void,
  ): Promise<List<T>> {
    const { caller, address, view } = this.deps
    const { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch } = options
    const query = queryString({
      labelSelector,
      fieldSelector,
      limit,
      continue: next,
      // A continue token carries its version; the server refuses a second one.
      ...(next === undefined && { resourceVersion, resourceVersionMatch }),
    })
    const { compress } = caller
    const call = {
      ...options,
      ...address.all,
      method: 'GET',
      accept: view.list,
      query,
      compress,
      ...(onBegin && { onBegin }),
    }
    const list = await caller.object<List<T> & KubeObject>(call)
    if (!list.metadata || (list.items && !Array.isArray(list.items))) throw caller.badAnswer(call, 'it is not a list')
    const items = list.items ?? []
    return { metadata: list.metadata, items: view.completeList(items, list.kind, address.resource) }
  }
}
