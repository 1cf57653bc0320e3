import type { OwnerReference } from 'kubernetes-types/meta/v1.d.ts'
import type { ObjectMeta } from '../objects.ts'

export const orphanFinalizer = 'orphan'
export const foregroundFinalizer = 'foregroundDeletion'

const hasFinalizer = ({ finalizers = [] }: ObjectMeta, finalizer: string): boolean => finalizers.includes(finalizer)

/** It is being deleted, and goes when those are gone that it owns. */
export const isWaitingForDependents = (metadata: ObjectMeta): boolean =>
  metadata.deletionTimestamp !== undefined && hasFinalizer(metadata, foregroundFinalizer)

/** It is being deleted, and goes when those are nobody's that it owns. */
export const isOrphaning = (metadata: ObjectMeta): boolean =>
  metadata.deletionTimestamp !== undefined && hasFinalizer(metadata, orphanFinalizer)

/** `nowhere`: it would have to be in a namespace, and the object that names it is in none. Nobody can say more of it. */
export type OwnerState = 'living' | 'waiting' | 'absent' | 'nowhere'

export type Verdict =
  | { readonly act: 'nothing' }
  /** A living owner remains: the others are only to be forgotten. */
  | { readonly act: 'release'; readonly uids: readonly string[] }
  /** `free`: two objects wait for each other, so this one may no longer hold its owner back. */
  | { readonly act: 'delete'; readonly policy: 'Foreground' | 'Background' | 'Orphan'; readonly free: boolean }

export interface Situation {
  readonly metadata: ObjectMeta
  readonly stateOf: (owner: OwnerReference) => OwnerState
  /** Of those that this object owns. */
  readonly dependents: () => readonly ObjectMeta[]
}

/** What becomes of an object, by what became of its owners. */
export function judge({ metadata, stateOf, dependents }: Situation): Verdict {
  const { ownerReferences = [], deletionTimestamp } = metadata
  if (deletionTimestamp !== undefined || ownerReferences.length === 0) return { act: 'nothing' }
  const judged = ownerReferences.map((owner) => ({ uid: owner.uid, state: stateOf(owner) }))
  const notLiving = judged.filter(({ state }) => state !== 'living')
  if (notLiving.length === 0 || notLiving.some(({ state }) => state === 'nowhere')) return { act: 'nothing' }
  if (notLiving.length < judged.length) return { act: 'release', uids: notLiving.map(({ uid }) => uid) }
  const own = judged.some(({ state }) => state === 'waiting') ? dependents() : []
  if (own.length > 0) return { act: 'delete', policy: 'Foreground', free: own.some(isWaitingForDependents) }
  return { act: 'delete', policy: policyOf(metadata), free: false }
}

/** A finalizer that is there already says what its owner wants; nothing may override it. */
function policyOf(metadata: ObjectMeta): 'Foreground' | 'Background' | 'Orphan' {
  if (hasFinalizer(metadata, orphanFinalizer)) return 'Orphan'
  return hasFinalizer(metadata, foregroundFinalizer) ? 'Foreground' : 'Background'
}
