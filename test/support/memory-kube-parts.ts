import { failures, KubeFailure } from '../../src/kube/failures.ts'
import type { Selectors, WatchEvent, WatchOptions } from '../../src/kube/kube.ts'
import type { KubeObject, Stored } from '../../src/kube/objects.ts'

export interface Call {
  verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'apply' | 'delete'
  plural: string
  name?: string
}
/** Stands between a caller and the server: may wait, throw before or after `proceed`, or just pass on. */
export type Intercept = <R>(call: Call, proceed: () => Promise<R>) => Promise<R>

export const kubeFailure = (code: number, reason: string, name = 'it'): KubeFailure =>
  new KubeFailure({ code, reason, message: `${reason}: ${name}` }, { method: 'GET', path: '/' })
export const unreachable = () => failures.KUBE_UNREACHABLE({ server: 'memory', detail: 'ECONNRESET' })

/** A write as watches see it. */
export interface Entry {
  version: number
  /** What `kind` of objects it belongs to. */
  group: string
  previous: Stored<KubeObject> | undefined
  object: Stored<KubeObject>
  isDeleted: boolean
}

/** One open watch of a MemoryKube: what the server pushes in, what the client reads out. */
export class MemoryWatch<T extends KubeObject> {
  readonly #options: WatchOptions
  /** What is not newer is withheld, as real servers do, even when their versions went back. */
  readonly #from: number
  readonly #pending: WatchEvent<T>[] = []
  #isOpen = true
  #isStalled = false
  #error: unknown
  #wake = () => {}

  constructor(options: WatchOptions, from: number) {
    this.#options = options
    this.#from = from
  }

  push({ version, previous, object, isDeleted }: Entry): void {
    if (version <= this.#from) return
    const was = previous !== undefined && isSelected(previous, this.#options)
    const is = !isDeleted && isSelected(object, this.#options)
    if (!was && !is) return
    const type = is ? (was ? 'MODIFIED' : 'ADDED') : 'DELETED'
    this.#send({ type, object: structuredClone(object) as Stored<T> })
  }

  bookmark(version: number): void {
    if (version > this.#from) this.#send({ type: 'BOOKMARK', resourceVersion: `${version}`, initialEventsEnd: false })
  }

  /** A half-open connection: nothing arrives any more, not even the end. */
  stall(): void {
    this.#isStalled = true
  }

  end(error?: unknown): void {
    if (!this.#isStalled) this.#close(error)
  }

  async *events(): AsyncGenerator<WatchEvent<T>> {
    const { signal } = this.#options
    const onAbort = () => this.#close(signal?.reason)
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort)
    try {
      for (;;) {
        for (let event = this.#pending.shift(); event; event = this.#pending.shift()) yield event
        if (!this.#isOpen) break
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
      if (this.#error) throw this.#error
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }

  #send(event: WatchEvent<T>): void {
    if (this.#isOpen && !this.#isStalled) this.#pending.push(event)
    this.#wake()
  }

  #close(error: unknown): void {
    this.#isOpen = false
    this.#error = error
    this.#wake()
  }
}

/** Labels by equality, presence or absence; fields by equality, any of them. */
export function isSelected(object: KubeObject, { labelSelector = '', fieldSelector = '' }: Selectors): boolean {
  const { metadata = {} } = object
  const terms = (selector: string) => selector.split(',').flatMap((term) => (term ? [term.split(/==?/)] : []))
  const field = (path: string) =>
    path.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], object)
  const has = (name: string) => name in (metadata.labels ?? {})
  const holds = (name: string, value: string | undefined) => {
    if (value !== undefined) return metadata.labels?.[name] === value
    return name.startsWith('!') ? !has(name.slice(1)) : has(name)
  }
  return (
    terms(labelSelector).every(([name = '', value]) => holds(name, value)) &&
    terms(fieldSelector).every(([path = '', value]) => field(path) === value)
  )
}

/** RFC 7386. */
export function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const result: Record<string, unknown> = { ...(target as object) }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else result[name] = merge(result[name], value)
  }
  return result
}

/** Whoever waits may stop waiting; the server goes on with what it was asked. */
export async function orAbort<R>(answer: Promise<R>, signal?: AbortSignal): Promise<R> {
  if (!signal) return answer
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  return Promise.race([answer, aborted.promise]).finally(() => signal.removeEventListener('abort', onAbort))
}

export const specOf = (object: KubeObject): unknown => (object as { spec?: unknown }).spec
