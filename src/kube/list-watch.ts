import type { BackoffOptions } from '../core/backoff.ts'
import { backoffMs } from '../core/backoff.ts'
import type { Clock } from '../core/clock.ts'
import { sleep } from '../core/clock.ts'
import type { Failure } from '../core/failure.ts'
import { isFailure } from '../core/failure.ts'
import type { Run } from '../core/lifecycle.ts'
import { isAbort } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import type { Random } from '../core/random.ts'
import { deadline } from './deadline.ts'
import { failures, isExpired, isNotFound, KubeFailure } from './failures.ts'
import type { Collection, Selectors } from './kube.ts'
import type { Key, KubeObject, Stored } from './objects.ts'
import { keyOf } from './objects.ts'

/** What an informer needs of a collection; `collection.metadata` has it too. */
export type Source<T extends KubeObject> = Pick<Collection<T>, 'pages' | 'watch'> & {
  /** What is kept of it at most, as JSON: a server that is not trusted must not fill the memory. Default: whatever there is. */
  readonly mostKeptBytes?: number
}

/** Where the objects go. None of its methods may throw. */
export interface Sink<T extends KubeObject> {
  /** What to keep of an object. Asked as each arrives, so that a long list is never held as it was sent. */
  receive(object: Stored<T>): Stored<T>
  /** These and no others exist. */
  replace(objects: Stored<T>[]): void
  change(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Stored<T>): void
  /** There is more than may be kept: nothing is known any more. */
  forget?(): void
  /** The server showed just now that what is here is no older than what it has. */
  heard?(): void
  /** `check` asks the server for its version, and `heard` is called if it answers. Undefined: no watch is open. */
  following?(check: (() => Promise<void>) | undefined): void
}

export interface ListWatchOptions extends Selectors {
  clock: Clock
  random: Random
  log: Log
  /** Objects a page of a list. Default: the client's. */
  pageSize?: number
  /** Seconds a watch is asked to last, at least; up to twice that is drawn at random. Default 300, as client-go has it. */
  watchSeconds?: number
  /** Waits after a dropped watch and before another list. Default: 200 ms, doubling, at most 30 seconds. */
  backoff?: BackoffOptions
}

/** A watch that lasted this long was no mishap: if the server ended it, the next one starts at once. */
const livedMs = 1_000
/** After a watch of this length the next list counts as the first again. */
const steadyMs = 60_000
/** How long past its own end a watch may stay open before it counts as half-open. The client's PING finds most sooner. */
const marginMs = 30_000
/** How long a watch that was resumed after a loss may hear nothing before the server's version is asked for. */
const doubtMs = 10_000
/** What a page of a list counts while it is read, besides what is kept of it: to read one without end takes the processor. */
const pageBytes = 128 * 1_024
/** Watches in a row that came to nothing, after which that is no hiccup any more. */
const manyDrops = 5

/**
 * Keeps `sink` the same as the server: lists in pages, then watches from the list's version on. An ended or dropped
 * watch resumes from the last version seen, without a list. Only when the server no longer knows that version (410), or
 * its versions went back (a restored backup), everything is listed again. Lists are backed off on their own
 * count, which a flapping connection does not raise and a short-lived watch does not reset.
 *
 * A server with a restored backup does not tell: a watch from a version it has yet to reach stays open and silent. A
 * restore cuts every connection, so a watch that was resumed after a loss and then hears nothing, not even a bookmark, is
 * checked by one consistent list of a single object. Rejected: a check at each loss, which a flapping network would turn
 * into a storm of lists, and waiting for the next bookmark, which a server need not send.
 *
 * Lists are consistent reads (no resourceVersion), so that a list never shows less than the watch before it. Streaming
 * lists (`sendInitialEvents`) are not used: they are on by default only from Kubernetes 1.34 on, so that the paged
 * list had to stay beside them, and its pages bound the memory of both sides already.
 */
export function listWatch<T extends KubeObject>(source: Source<T>, sink: Sink<T>, options: ListWatchOptions): Run {
  const { clock, random, log, watchSeconds = 300, backoff = { baseMs: 200, maxMs: 30_000 } } = options
  const selectors = pick(options, 'labelSelector', 'fieldSelector')
  const paging = pick(options, 'pageSize')
  const { mostKeptBytes = Number.POSITIVE_INFINITY } = source

  return async (signal) => {
    /** The newest version known. Undefined: to be listed. */
    let version: string | undefined
    /** Lists since a watch was steady, and watches in a row that came to nothing. */
    let [lists, drops] = [0, 0]
    /** Whether the connection was lost since the server last showed that it knows `version`. */
    let isInDoubt = false
    /** Whether a continue token expired, as on a busy server under a slow reader. One answer without pages cannot. */
    let isUnpaged = false
    /** Said once, however often it is asked for: an API server may never have the kind. */
    let isKindMissing = false
    /** Of what the sink keeps; followed only where there is a limit. */
    let weights = new Map<Key, number>()
    let keptBytes = 0
    const weigh = (object: Stored<T>, isGone = false) => {
      if (mostKeptBytes === Number.POSITIVE_INFINITY) return
      const key = keyOf(object)
      const bytes = isGone ? 0 : JSON.stringify(object).length
      keptBytes += bytes - (weights.get(key) ?? 0)
      if (isGone) weights.delete(key)
      else weights.set(key, bytes)
      if (keptBytes > mostKeptBytes) throw failures.KUBE_TOO_MUCH({ mostKeptBytes })
    }
    const pauseMs = (attempt: number) => backoffMs(attempt, backoff, random)

    async function list(): Promise<void> {
      if (lists > 0) await sleep(clock, pauseMs(lists - 1), signal)
      lists += 1
      const objects: Stored<T>[] = []
      let listed: string | undefined
      let pagesBytes = 0
      weights = new Map()
      keptBytes = 0
      try {
        for await (const page of source.pages({ ...selectors, ...(isUnpaged ? { pageSize: 0 } : paging), signal })) {
          pagesBytes += pageBytes
          for (const object of page.items) {
            const kept = sink.receive(object)
            weigh(kept)
            objects.push(kept)
          }
          if (keptBytes + pagesBytes > mostKeptBytes) throw failures.KUBE_TOO_MUCH({ mostKeptBytes })
          // The first page's, should a server's pages differ: what a later one shows already is then told twice, not never.
          listed ??= page.metadata.resourceVersion
        }
      } catch (err) {
        signal.throwIfAborted()
        if (isFailure(err, 'KUBE_TOO_MUCH')) sink.forget?.()
        // One that fails as well is followed by pages again: what is too long for one answer would never be listed.
        isUnpaged = !isUnpaged && isExpired(err) && listed !== undefined
        if (!isNotFound(err)) log.warn({ err, lists }, 'list failed')
        else if (!isKindMissing) log.warn({ err }, 'the kind is not served; it is asked for again')
        isKindMissing = isNotFound(err)
        return
      }
      if (isKindMissing) log.info({}, 'the kind is served now')
      isKindMissing = false
      sink.replace(objects)
      sink.heard?.()
      version = listed
      isInDoubt = isUnpaged = false
    }

    /** KUBE_WENT_BACK when the server is behind `from`. Says nothing when it does not answer: the doubt stays. */
    async function doubt(from: string, isOpen: () => boolean): Promise<Failure | undefined> {
      try {
        for await (const { metadata } of source.pages({ ...selectors, pageSize: 1, signal })) {
          const to = metadata.resourceVersion
          if (isOlder(to, from)) return failures.KUBE_WENT_BACK({ from, to })
          isInDoubt = false
          // What answers a list while the watch is gone says nothing about what was missed meanwhile.
          if (isOpen()) sink.heard?.()
          break
        }
      } catch (err) {
        if (!signal.aborted) log.info({ err }, 'version not checked')
      }
      return undefined
    }

    async function follow(from: string): Promise<void> {
      const timeoutSeconds = Math.round(watchSeconds * (1 + random.fraction()))
      const limitMs = timeoutSeconds * 1_000 + marginMs
      using limit = deadline(clock, limitMs, () => failures.KUBE_WATCH_SILENT({ limitMs }), signal)
      const back = new AbortController()
      let reached = from
      let isOpen = true
      const ask = async () => {
        const failure = await doubt(reached, () => isOpen)
        if (failure) back.abort(failure)
      }
      using asking = isInDoubt ? clock.countdown(doubtMs, () => void ask()) : undefined
      sink.following?.(ask)
      using _open = {
        [Symbol.dispose]() {
          isOpen = false
          sink.following?.(undefined)
        },
      }
      const either = AbortSignal.any([limit.signal, back.signal])
      const watched = { ...selectors, resourceVersion: from, timeoutSeconds, signal: either }
      for await (const event of source.watch(watched)) {
        const next = event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion
        if (isOlder(next, reached)) throw failures.KUBE_WENT_BACK({ from: reached, to: next })
        if (event.type !== 'BOOKMARK') {
          const kept = sink.receive(event.object)
          weigh(kept, event.type === 'DELETED')
          sink.change(event.type, kept)
        }
        sink.heard?.()
        version = reached = next
        drops = 0
        isInDoubt = false
        asking?.[Symbol.dispose]()
      }
      either.throwIfAborted()
    }

    async function watch(from: string): Promise<void> {
      const startedAt = clock.now().getTime()
      const problem = await follow(from).catch((error: unknown) => {
        signal.throwIfAborted()
        return error ?? new Error('the watch failed without saying why')
      })
      const lastedMs = clock.now().getTime() - startedAt
      if (lastedMs >= livedMs) drops = 0
      if (lastedMs >= steadyMs) lists = Math.min(lists, 1)
      const isTooMuch = isFailure(problem, 'KUBE_TOO_MUCH')
      if (isTooMuch) sink.forget?.()
      // A kind that is gone is listed for until it is back; its former version means nothing then.
      if (isTooMuch || isExpired(problem) || isNotFound(problem) || isFailure(problem, 'KUBE_WENT_BACK')) {
        version = undefined
        log.info({ err: problem, lists }, 'watch expired')
      } else if (problem || lastedMs < livedMs) {
        const nextTryMs = pauseMs(drops++)
        isInDoubt ||= Boolean(problem)
        const isLasting = drops >= manyDrops || (problem instanceof KubeFailure && problem.code < 500)
        log[isLasting ? 'warn' : 'info']({ err: problem, drops, nextTryMs }, 'watch dropped')
        await sleep(clock, nextTryMs, signal)
      }
    }

    try {
      while (!signal.aborted) await (version === undefined ? list() : watch(version))
    } catch (error) {
      if (!isAbort(error, signal)) throw error
    }
  }
}

/** Versions are numbers on every server that is known; where they are not, nothing can be said. */
function isOlder(version: string, than: string): boolean {
  if (!/^\d+$/.test(version) || !/^\d+$/.test(than)) return false
  return version.length === than.length ? version < than : version.length < than.length
}

const pick = <O extends object, K extends keyof O>(options: O, ...names: K[]): Pick<O, K> =>
  Object.fromEntries(names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]])) as Pick<
    O,
    K
  >
