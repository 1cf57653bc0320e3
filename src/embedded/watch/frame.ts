import type { Served } from '../kinds/registry.ts'
import type { Selection } from '../select/matcher.ts'
import { matches } from '../select/matcher.ts'
import type { Status } from '../status.ts'
import type { Change, Entry } from '../storage/store.ts'

/** One line of a watch, before it is put into words. */
export type Frame =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly entry: Entry; readonly revision: number }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly endsInitialEvents: boolean }
  | { readonly type: 'ERROR'; readonly status: Status }

/** To a watch with a selector, an object that begins or ceases to match comes or goes. */
export function frameOf(change: Change, selection: Selection, served: Served): Frame | undefined {
  const { type, entry, before, revision } = change
  const isSelected = type !== 'DELETED' && matches(selection, entry, served)
  const wasSelected = before !== undefined && matches(selection, before, served)
  if (isSelected) return { type: wasSelected ? 'MODIFIED' : 'ADDED', entry, revision }
  if (!wasSelected) return undefined
  return { type: 'DELETED', entry: type === 'DELETED' ? entry : lastSeen(change, before), revision }
}

const lastStates = new WeakMap<Change, Entry>()

/** What watchers knew, under the revision that took it away: one entry for all of them. */
function lastSeen(change: Change, before: Entry): Entry {
  const known = lastStates.get(change)
  if (known) return known
  const { revision, writtenAt } = change.entry
  const object = JSON.parse(before.text) as { metadata: { resourceVersion: string } }
  object.metadata.resourceVersion = String(revision)
  const last = { ...before, revision, writtenAt, text: JSON.stringify(object) }
  lastStates.set(change, last)
  return last
}
