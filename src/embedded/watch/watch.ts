import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Random } from '../../core/random.ts'
import { onlyName } from '../select/matcher.ts'
import { ApiFailure, internalError } from '../status.ts'
import type { Change, Store } from '../storage/store.ts'
import type { WatchRequest } from './beginning.ts'
import { beginning } from './beginning.ts'
import type { FanOut } from './fan-out.ts'
import type { Frame } from './frame.ts'
import { frameOf } from './frame.ts'

export interface WatchDeps {
  store: Store
  fanOut: FanOut
  clock: Clock
  random: Random
  log: Log
}

/** Where a watch goes. */
export interface Sink {
  /** False: it can take no more for now and calls `resume` of the watch when it can. */
  take(frame: Frame): boolean
  /** There will be no more. */
  end(): void
}

export interface Watch extends Disposable {
  resume(): void
  /** Ends it, and tells the reader why. */
  fail(error: unknown): void
}

/** Frames that may wait for a reader. One that falls behind further is cut off, and lists again: nobody waits for it. */
const patience = 10_000

const bookmarkEveryMs = 60_000

/** Where the client names no end, it is at least this far away and at most twice: a reader that is long gone is found out. */
const leastSeconds = 1_800

/** Changes in one place from one revision on, with what is there already before them where the client asked for that. */
export function openWatch(deps: WatchDeps, request: WatchRequest, sink: Sink): Watch {
  const { store, fanOut, clock, random, log } = deps
  const { served, namespace, selection, parameters } = request
  const begin = beginning(store, request)
  let backlog: Iterator<Frame> | undefined = begin.frames
  let waiting: Frame[] = []
  let isOpen = true
  let isBlocked = false
  let seen = begin.revision
  const owned: Disposable[] = []

  function close(): void {
    if (!isOpen) return
    isOpen = false
    backlog = undefined
    waiting = []
    for (const disposable of owned) disposable[Symbol.dispose]()
    bookmark?.[Symbol.dispose]()
    sink.end()
  }

  function fail(error: unknown): void {
    if (!isOpen) return
    if (!(error instanceof ApiFailure)) log.error({ err: error, storage: served.kind.storage }, 'a watch failed')
    const failure = error instanceof ApiFailure ? error : internalError('see the log of the control plane')
    sink.take({ type: 'ERROR', status: failure.toStatus() })
    close()
  }

  /** One watch that cannot go on must not take others, or the process, with it. */
  function guarded(action: () => void): void {
    try {
      action()
    } catch (error) {
      fail(error)
    }
  }

  function pump(): void {
    while (isOpen && !isBlocked) {
      const frame = next()
      if (!frame) return
      isBlocked = !sink.take(frame)
      if (frame.type === 'ERROR') close()
    }
  }

  function next(): Frame | undefined {
    const step = backlog?.next()
    if (step && !step.done) return step.value
    backlog = undefined
    return waiting.shift()
  }

  function offer(frame: Frame): void {
    if (!isBlocked && !backlog && waiting.length === 0) {
      isBlocked = !sink.take(frame)
      return
    }
    waiting.push(frame)
    if (waiting.length > patience) close()
  }

  function onChange(change: Change): void {
    if (change.revision <= seen) return
    seen = change.revision
    guarded(() => {
      const frame = frameOf(change, selection, served)
      if (frame) offer(frame)
    })
  }

  let bookmark: Disposable | undefined
  function armBookmarks(): void {
    bookmark = clock.countdown(bookmarkEveryMs, () => {
      const revision = Math.max(seen, store.revision)
      if (!isBlocked) guarded(() => offer({ type: 'BOOKMARK', revision, endsInitialEvents: false }))
      if (isOpen) armBookmarks()
    })
  }

  if (begin.isOpen) {
    owned.push(fanOut.listen({ storage: served.kind.storage, namespace, name: onlyName(selection) }, onChange))
    const seconds = parameters.timeoutSeconds || leastSeconds * (1 + random.fraction())
    owned.push(clock.countdown(seconds * 1_000, close))
    if (parameters.allowBookmarks) armBookmarks()
  }
  // Not before the caller holds the watch: the first frame may block it.
  queueMicrotask(() => guarded(pump))
  return {
    resume() {
      isBlocked = false
      guarded(pump)
    },
    fail,
    [Symbol.dispose]: close,
  }
}
