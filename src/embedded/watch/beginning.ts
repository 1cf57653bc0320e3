import type { Served } from '../kinds/registry.ts'
import type { ListParameters } from '../requests/parameters.ts'
import type { Selection } from '../select/matcher.ts'
import { matches, onlyName } from '../select/matcher.ts'
import { expired } from '../status.ts'
import type { Change, Entry, Store } from '../storage/store.ts'
import type { Frame } from './frame.ts'
import { frameOf } from './frame.ts'

/** What a watch is about. */
export interface WatchRequest {
  served: Served
  namespace: string
  selection: Selection
  parameters: Pick<ListParameters, 'resourceVersion' | 'sendInitialEvents' | 'allowBookmarks' | 'timeoutSeconds'>
}

export interface Beginning {
  frames: Iterator<Frame>
  /** Changes up to this one are in `frames`, or not wanted. */
  revision: number
  isOpen: boolean
}

/** Where a watch begins: with what is there, with what has happened since a revision, or with what comes next. */
export function beginning(store: Store, { served, namespace, selection, parameters }: WatchRequest): Beginning {
  const { resourceVersion = 0, sendInitialEvents } = parameters
  const { storage } = served.kind
  if (sendInitialEvents ?? resourceVersion === 0) {
    const { entries, revision } = present(store, served, namespace, onlyName(selection))
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

/** One object is looked up; what is many is listed. */
function present(store: Store, { kind }: Served, namespace: string, name: string | undefined) {
  if (name === undefined || (kind.namespaced && namespace === ''))
    return store.list(kind.storage, namespace === '' ? {} : { namespace })
  const entry = store.get(kind.storage, namespace, name)
  return { entries: entry ? [entry] : [], revision: store.revision }
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

const tooOld = (store: Store, resourceVersion: number): Frame => ({
  type: 'ERROR',
  status: expired(`too old resource version: ${resourceVersion} (${store.oldestRevision})`).toStatus(),
})
