import { failures, KubeFailure } from '../failures.ts'
import type { WatchEvent } from '../kube.ts'
import type { KubeObject, Stored } from '../objects.ts'
import { isStatus, parseJson } from './answer.ts'
import type { WatchContext, WatchStream } from './watch-stream.ts'

type Next<T extends KubeObject> = IteratorResult<WatchEvent<T>, undefined>

const done = { done: true, value: undefined } as const

/** Set on the bookmark that closes the initial events. */
const initialEventsEnd = 'k8s.io/initial-events-end'

export interface WatchSource extends WatchContext {
  open(signal: AbortSignal): Promise<WatchStream>
  signal: AbortSignal | undefined
  /** Applied to every object. */
  trim<T extends KubeObject>(object: T): T
}

/**
 * Events one at a time; the request is made with the first `next()`. An iterator of its own rather than a generator:
 * `return()` must end a `next()` that waits, and a generator would queue behind it.
 */
export class WatchIterator<T extends KubeObject> implements AsyncIterableIterator<WatchEvent<T>, undefined> {
  readonly #source: WatchSource
  readonly #stop = new AbortController()
  #opening: Promise<WatchStream> | undefined
  #stream: WatchStream | undefined
  #over = false

  constructor(source: WatchSource) {
    this.#source = source
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Next<T>> {
    if (this.#over) return Promise.resolve(done)
    if (!this.#stream) return this.#open()
    try {
      const line = this.#stream.take()
      if (line instanceof Promise) return line.then(this.#onLine, this.#onFailure)
      return Promise.resolve(this.#onLine(line))
    } catch (error) {
      return this.#onFailure(error)
    }
  }

  async return(): Promise<Next<T>> {
    this.#end()
    return done
  }

  async #open(): Promise<Next<T>> {
    const { signal } = this.#source
    try {
      this.#opening ??= this.#source.open(signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal)
      this.#stream = await this.#opening
    } catch (error) {
      if (this.#over) return done
      return this.#onFailure(error)
    }
    if (this.#over) this.#stream.cancel()
    return this.next()
  }

  #end(): void {
    this.#over = true
    // In this order: an open stream ends quietly, and the signal is left for one that is still being opened.
    this.#stream?.cancel()
    this.#stop.abort()
  }

  readonly #onFailure = (error: unknown): Promise<never> => {
    this.#end()
    return Promise.reject(error)
  }

  readonly #onLine = (line: string | undefined): Next<T> => {
    if (line === undefined) {
      this.#end()
      return done
    }
    try {
      return { done: false, value: eventOf<T>(line, this.#source) }
    } catch (error) {
      this.#end()
      throw error
    }
  }
}

interface RawEvent {
  type?: string
  object?: KubeObject
}

/** One line of a watch. An ERROR event is thrown as the failure it carries. */
export function eventOf<T extends KubeObject>(
  line: string,
  source: Pick<WatchSource, keyof WatchContext | 'trim'>,
): WatchEvent<T> {
  const { type, object } = (parseJson(line) ?? {}) as RawEvent
  if (object) {
    switch (type) {
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        return { type, object: source.trim(object as Stored<T>) }
      case 'BOOKMARK':
        return {
          type,
          resourceVersion: object.metadata?.resourceVersion ?? '',
          initialEventsEnd: object.metadata?.annotations?.[initialEventsEnd] === 'true',
        }
      case 'ERROR':
        if (isStatus(object)) throw new KubeFailure({ ...object, code: object.code ?? 500 }, source)
    }
  }
  const detail =
    type === undefined ? 'a line of the watch is not whole JSON' : `a watch event of type ${type} makes no sense`
  throw failures.KUBE_BAD_ANSWER({ method: source.method, path: source.path, server: source.server, detail })
}
