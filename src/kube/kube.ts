import type { KubeObject, List, ObjectMeta, Resource, Stored } from './objects.ts'

/**
 * A Kubernetes API, real or embedded. Every call throws a `KubeFailure` (see failures.ts), a `Failure` or the reason of
 * its aborted signal, nothing else.
 */
export interface Kube {
  /** The objects of one kind, in one namespace or, without one, in all of them (or cluster-scoped). */
  of<T extends KubeObject>(resource: Resource<T>, namespace?: string): Collection<T>
  /** A request by path, for what is not an object: `/version`, `/readyz`, a review. */
  request<R = unknown>(request: KubeRequest): Promise<R>
}

export interface CallOptions {
  signal?: AbortSignal
  /** The whole call, retries included; of a list, each page. Default 30 seconds. */
  deadlineMs?: number
  /**
   * Goes before the calls that wait for their turn, and counts for the pace as they do. For a probe, whose deadline
   * would otherwise tell how many others wait, and not whether the server answers.
   */
  ahead?: boolean
}

export interface KubeRequest extends CallOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: Record<string, string | number | boolean | undefined>
  body?: unknown
  contentType?: string
  accept?: string
}

export interface WriteOptions extends CallOptions {
  fieldManager?: string
  dryRun?: boolean
  fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
}

export interface Selectors {
  labelSelector?: string
  fieldSelector?: string
}

export interface ListOptions extends CallOptions, Selectors {
  /** Objects a page, not in all; 0 for everything in one. Default 500. */
  pageSize?: number
  resourceVersion?: string
  resourceVersionMatch?: 'Exact' | 'NotOlderThan'
}

export interface WatchOptions extends Selectors {
  resourceVersion?: string
  /** The server ends the watch after this. Default: a random 5 to 10 minutes, as client-go has it. */
  timeoutSeconds?: number
  sendInitialEvents?: boolean
  signal?: AbortSignal
}

export type WatchEvent<T extends KubeObject> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: Stored<T> }
  /** Only `metadata.resourceVersion` is set; `initialEventsEnd` closes the initial events of `sendInitialEvents`. */
  | { type: 'BOOKMARK'; resourceVersion: string; initialEventsEnd: boolean }

export type Patch =
  | { type: 'json'; operations: { op: string; path: string; value?: unknown; from?: string }[] }
  | { type: 'merge'; body: unknown }
  | { type: 'strategic'; body: unknown }

export interface DeleteOptions extends CallOptions {
  propagationPolicy?: 'Foreground' | 'Background' | 'Orphan'
  gracePeriodSeconds?: number
  preconditions?: { uid?: string; resourceVersion?: string }
  dryRun?: boolean
}

export interface Collection<T extends KubeObject> {
  get(name: string, options?: CallOptions): Promise<Stored<T>>
  /** Like `get`, with undefined in place of NotFound. */
  find(name: string, options?: CallOptions): Promise<Stored<T> | undefined>
  /** Everything, fetched in pages. A continue token that expired on the way starts over, at most once a call. */
  list(options?: ListOptions): Promise<List<T>>
  /** The same, page by page, for what need not be in memory at once. An expired continue token is thrown as Expired. */
  pages(options?: ListOptions): AsyncIterable<List<T>>
  create(object: T, options?: WriteOptions): Promise<Stored<T>>
  /** Replaces; a stale `metadata.resourceVersion` is a Conflict. `subresource` e.g. 'status', 'approval'. */
  update(object: T, options?: WriteOptions & { subresource?: string }): Promise<Stored<T>>
  patch(name: string, patch: Patch, options?: WriteOptions & { subresource?: string }): Promise<Stored<T>>
  /** Server-side apply. The object holds only what this field manager owns. */
  apply(
    object: T & { metadata: { name: string } },
    options: WriteOptions & { fieldManager: string; force?: boolean; subresource?: string },
  ): Promise<Stored<T>>
  /** False when there was nothing of that name. */
  delete(name: string, options?: DeleteOptions): Promise<boolean>
  deleteCollection(options?: DeleteOptions & Selectors): Promise<void>
  /** POST to a subresource, e.g. `token` or `eviction`. */
  createSubresource<B, R>(name: string, subresource: string, body: B, options?: WriteOptions): Promise<R>
  /** Events until the server ends the watch. Throws Expired when the resourceVersion is too old. Informers are built on this. */
  watch(options?: WatchOptions): AsyncIterable<WatchEvent<T>>
  /** The same objects without spec, status and data: `PartialObjectMetadata` over the wire. Reads only. */
  readonly metadata: Pick<Collection<{ metadata?: ObjectMeta }>, 'get' | 'find' | 'list' | 'pages' | 'watch'>
}
