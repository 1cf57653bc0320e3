import type { Clock } from '../../core/clock.ts'
import type { Served } from '../kinds/registry.ts'
import type { ListParameters } from '../requests/parameters.ts'
import type { Selection } from '../select/matcher.ts'
import { matches, onlyName, selectionOf } from '../select/matcher.ts'
import type { Status } from '../status.ts'
import { expired } from '../status.ts'
import type { Change, Entry, Store } from '../storage/store.ts'
import type { FanOut } from './fan-out.ts'

/** One line of a watch, before it is put into words. */
export type Frame =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly entry: Entry; readonly revision: number }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly endsInitialEvents: boolean }
  | { readonly type: 'ERROR'; readonly status: Status }

export interface WatchDeps {
  store: Store
  fanOut: FanOut
  clock: Clock
}

export interface WatchRequest {
  served: Served
  namespace: string
  parameters: ListParameters
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
}

/** Frames that may wait for a reader. One that falls behind further is cut off, and lists again: nobody waits for it. */
const patience = 10_000

const bookmarkEveryMs = 60_000

/** Changes in one place from one revision on, with what is there already before them where the client asked for that. */
export function openWatch(deps: WatchDeps, request: WatchRequest, sink: Sink): Watch {
  const { store, fanOut, clock } = deps
  const { served, namespace, parameters } = request
  const selection = selectionOf(served, parameters)
  const begin = beginning(store, request, selection)
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
    const frame = frameOf(change, selection, served)
    if (frame) offer(frame)
  }

  let bookmark: Disposable | undefined
  function armBookmarks(): void {
    bookmark = clock.countdown(bookmarkEveryMs, () => {
      if (!isBlocked) offer({ type: 'BOOKMARK', revision: store.revision, endsInitialEvents: false })
      if (isOpen) armBookmarks()
    })
  }

  if (begin.isOpen) {
    owned.push(fanOut.listen({ storage: served.kind.storage, namespace, name: onlyName(selection) }, onChange))
    if (parameters.timeoutSeconds) owned.push(clock.countdown(parameters.timeoutSeconds * 1_000, close))
    if (parameters.allowBookmarks) armBookmarks()
  }
  // Not before the caller holds the watch: the first frame may block it.
  queueMicrotask(pump)
  return {
    resume() {
      isBlocked = false
      pump()
    },
    [Symbol.dispose]: close,
  }
}

interface Beginning {
  frames: Iterator<Frame>
  /** Changes up to this one are in `frames`, or not wanted. */
  revision: number
  isOpen: boolean
}

function beginning(store: Store, { served, namespace, parameters }: WatchRequest, selection: Selection): Beginning {
  const { resourceVersion = 0, sendInitialEvents } = parameters
  const { storage } = served.kind
  if (sendInitialEvents ?? resourceVersion === 0) {
    const { entries, revision } = store.list(storage, namespace === '' ? {} : { namespace })
    const closes = sendInitialEvents === true && parameters.allowBookmarks
    return { frames: initialFrames(entries, selection, served, closes ? revision : undefined), revision, isOpen: true }
  }
  if (resourceVersion === 0) return { frames: [].values(), revision: store.revision, isOpen: true }
  const changes = store.changesSince(resourceVersion, storage)
  if (!changes) return { frames: [tooOld(store, resourceVersion)].values(), revision: 0, isOpen: false }
  return {
    frames: pastFrames(changes, namespace, selection, served),
    revision: Math.max(resourceVersion, store.revision),
    isOpen: true,
  }
}

function* initialFrames(
  entries: readonly Entry[],
  selection: Selection,
  served: Served,
  closing: number | undefined,
): Generator<Frame> {
  for (const entry of entries)
    if (matches(selection, entry, served)) yield { type: 'ADDED', entry, revision: entry.revision }
  if (closing !== undefined) yield { type: 'BOOKMARK', revision: closing, endsInitialEvents: true }
}

function* pastFrames(
  changes: readonly Change[],
  namespace: string,
  selection: Selection,
  served: Served,
): Generator<Frame> {
  for (const change of changes) {
    if (namespace !== '' && change.entry.namespace !== namespace) continue
    const frame = frameOf(change, selection, served)
    if (frame) yield frame
  }
}

/** To a watch with a selector, an object that begins or ceases to match comes or goes. */
function frameOf(change: Change, selection: Selection, served: Served): Frame | undefined {
  const { type, entry, before, revision } = change
  const isSelected = type !== 'DELETED' && matches(selection, entry, served)
  const wasSelected = before !== undefined && matches(selection, before, served)
  if (isSelected) return { type: wasSelected ? 'MODIFIED' : 'ADDED', entry, revision }
  if (!wasSelected) return undefined
  return { type: 'DELETED', entry: type === 'DELETED' ? entry : lastSeen(before, entry), revision }
}

/** What the watcher knew, under the revision that took it away. */
function lastSeen(before: Entry, { revision, writtenAt }: Entry): Entry {
  const object = JSON.parse(before.text) as { metadata: { resourceVersion: string } }
  object.metadata.resourceVersion = String(revision)
  return { ...before, revision, writtenAt, text: JSON.stringify(object) }
}

const tooOld = (store: Store, resourceVersion: number): Frame => ({
  type: 'ERROR',
  status: expired(`too old resource version: ${resourceVersion} (${store.oldestRevision})`).toStatus(),
})
