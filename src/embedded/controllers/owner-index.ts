import type { OwnerReference } from 'kubernetes-types/meta/v1.d.ts'
import { parsed } from '../storage/reading.ts'
import type { Entry } from '../storage/store.ts'
import type { Place } from './place.ts'
import { placeOf } from './place.ts'

const none: readonly OwnerReference[] = []

/** Most objects have no owner, and need not be parsed to see it. */
export const ownersOf = (entry: Entry | undefined): readonly OwnerReference[] =>
  entry?.text.includes('"ownerReferences"') ? (parsed(entry).metadata.ownerReferences ?? none) : none

/** Which objects name which owner, by the owner's uid. */
export class OwnerIndex {
  readonly #dependents = new Map<string, Set<Place>>()

  /** Takes note of what became of one object. */
  move(before: Entry | undefined, after: Entry | undefined): void {
    for (const { uid } of ownersOf(before)) this.#drop(uid, placeOf(before as Entry))
    for (const { uid } of ownersOf(after)) this.#add(uid, placeOf(after as Entry))
  }

  clear(): void {
    this.#dependents.clear()
  }

  dependentsOf(uid: string): readonly Place[] {
    return [...(this.#dependents.get(uid) ?? [])]
  }

  #add(uid: string, place: Place): void {
    const known = this.#dependents.get(uid)
    if (known) known.add(place)
    else this.#dependents.set(uid, new Set([place]))
  }

  #drop(uid: string, place: Place): void {
    const known = this.#dependents.get(uid)
    known?.delete(place)
    if (known?.size === 0) this.#dependents.delete(uid)
  }
}
