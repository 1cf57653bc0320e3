import type { OwnerReference } from 'kubernetes-types/meta/v1.d.ts'
import type { BoundedMap } from '../../kube/bounded-map.ts'
import type { Watching } from '../../kube/watching.ts'
import type { Registry } from '../kinds/registry.ts'
import { parsed } from '../storage/reading.ts'
import type { Change, Entry, Store } from '../storage/store.ts'
import type { OwnerIndex } from './owner-index.ts'
import { ownersOf } from './owner-index.ts'
import type { Place } from './place.ts'
import { placeOf } from './place.ts'

export interface Followed {
  store: Store
  registry: Registry
  /** Kept up to date. */
  index: OwnerIndex
  /** Told of owners that are gone, by uid. */
  gone: BoundedMap<string, true>
}

/** Whatever has an owner or is one, at first all of it, then what a change concerns. */
export function followOwners(followed: Followed): Watching {
  const { store, registry, index } = followed
  return {
    synced: async () => {},
    subscribe(enqueue) {
      index.clear()
      for (const storage of new Set(registry.all().map((kind) => kind.storage)))
        for (const entry of store.list(storage).entries) {
          index.move(undefined, entry)
          if (ownersOf(entry).length > 0 || isDeleting(entry)) enqueue(placeOf(entry))
        }
      return store.subscribe((changes) => {
        for (const change of changes) for (const place of concerned(change, followed)) enqueue(place)
      })
    },
  }
}

const isDeleting = ({ text }: Entry): boolean => text.includes('"deletionTimestamp"')

function concerned({ type, entry, before }: Change, { registry, index, gone }: Followed): Place[] {
  const after = type === 'DELETED' ? undefined : entry
  const isMoved = type !== 'MODIFIED' || !isSame(ownersOf(before), ownersOf(after))
  if (isMoved) index.move(before, after)
  const released = isMoved ? ownersOf(before).flatMap((owner) => placeOfOwner(entry, owner, registry) ?? []) : []
  if (after)
    return (isMoved && ownersOf(after).length > 0) || isDeleting(after) ? [placeOf(after), ...released] : released
  const { uid = '' } = parsed(entry).metadata
  const dependents = index.dependentsOf(uid)
  if (dependents.length > 0) gone.set(uid, true)
  return [...dependents, ...released]
}

const isSame = (a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b)

function placeOfOwner(dependent: Entry, { apiVersion, kind, name }: OwnerReference, registry: Registry) {
  const served = registry.findKind(apiVersion, kind)
  const { storage, namespaced } = served?.kind ?? {}
  return storage === undefined
    ? undefined
    : placeOf({ storage, namespace: namespaced ? dependent.namespace : '', name })
}
