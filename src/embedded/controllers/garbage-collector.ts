import type { OwnerReference } from 'kubernetes-types/meta/v1.d.ts'
import type { Outcome } from '../../core/outcome.ts'
import { done, requeueAfter } from '../../core/outcome.ts'
import { BoundedMap } from '../../kube/bounded-map.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import type { EventRecorder } from '../../kube/events.ts'
import { eventRecorder } from '../../kube/events.ts'
import { isAbsent, isConflict } from '../../kube/failures.ts'
import type { Collection } from '../../kube/kube.ts'
import type { KubeObject } from '../../kube/objects.ts'
import type { Registry } from '../kinds/registry.ts'
import type { ApiObject, ObjectMeta } from '../objects.ts'
import { parsed } from '../storage/reading.ts'
import type { Entry } from '../storage/store.ts'
import type { ControllerDeps } from './deps.ts'
import { failures } from './failures.ts'
import { followOwners } from './follow-owners.ts'
import { OwnerIndex, ownersOf } from './owner-index.ts'
import type { OwnerState } from './owners.ts'
import { foregroundFinalizer, isOrphaning, isWaitingForDependents, judge, orphanFinalizer } from './owners.ts'
import type { Place } from './place.ts'
import { entryAt, kindOf, placeOf, resourceOf } from './place.ts'
import { reasons } from './reasons.ts'

/** Owners that are known to be gone, so that their kind may be gone too. */
const rememberedOwners = 4_096
const workers = 50

/**
 * Deletes what nobody owns any more, and lets go of owners whose deletion waits for what they own. It reads the store
 * and follows it directly: a watch for each kind would have to come and go with every custom one.
 */
export function garbageCollector(deps: ControllerDeps): Controller {
  const { store, registry, kube, clock, log } = deps
  const index = new OwnerIndex()
  const gone = new BoundedMap<string, true>(rememberedOwners)
  const events = eventRecorder(kube, { clock, log, component: 'garbage-collector-controller', instance: '' })

  async function reconcile(place: Place, { signal }: { signal: AbortSignal }): Promise<Outcome> {
    const entry = entryAt(store, place)
    const kind = entry && kindOf(registry, entry)
    if (!entry || !kind) return done
    try {
      await settle(entry, kube.of(resourceOf(registry, kind), entry.namespace || undefined), signal)
    } catch (error) {
      // It has changed on the way. What there is now has to be judged anew, whatever the change was.
      if (isConflict(error)) return requeueAfter(0)
      if (!isAbsent(error)) throw error
    }
    return done
  }

  async function settle(entry: Entry, collection: Collection<KubeObject>, signal: AbortSignal): Promise<void> {
    const object = parsed(entry)
    const { metadata } = object
    if (isOrphaning(metadata)) {
      await Promise.all(dependentsOf(metadata).map((dependent) => release(dependent, [`${metadata.uid}`], signal)))
      return removeFinalizer(collection, metadata, orphanFinalizer, signal)
    }
    if (isWaitingForDependents(metadata)) {
      const dependents = dependentsOf(metadata)
      if (!dependents.some((dependent) => isBlocking(dependent, metadata)))
        return removeFinalizer(collection, metadata, foregroundFinalizer, signal)
      for (const dependent of dependents) self.enqueue(placeOf(dependent))
      return
    }
    const verdict = judge({
      metadata,
      stateOf: (owner) => ownerState(entry, object, owner),
      dependents: () => dependentsOf(metadata).map((dependent) => parsed(dependent).metadata),
    })
    if (verdict.act === 'release') await release(entry, verdict.uids, signal)
    if (verdict.act !== 'delete') return
    const { uid, resourceVersion, name = '' } = verdict.free ? await unblock(collection, metadata, signal) : metadata
    const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) }
    await collection.delete(name, { preconditions, propagationPolicy: verdict.policy, signal })
  }

  const dependentsOf = ({ uid = '' }: ObjectMeta): Entry[] =>
    index.dependentsOf(uid).flatMap((place) => entryAt(store, place) ?? [])

  function ownerState(entry: Entry, object: ApiObject, owner: OwnerReference): OwnerState {
    const served = registry.findKind(owner.apiVersion, owner.kind)
    if (!served) {
      if (gone.get(owner.uid)) return 'absent'
      const { apiVersion, kind } = owner
      throw failures.OWNER_KIND_UNKNOWN({ dependent: placeOf(entry), apiVersion, kind })
    }
    const { namespaced, storage } = served.kind
    const found = store.get(storage, namespaced ? entry.namespace : '', owner.name)
    const { metadata } = found ? parsed(found) : {}
    if (metadata?.uid === owner.uid) return isWaitingForDependents(metadata) ? 'waiting' : 'living'
    if (namespaced && !gone.get(owner.uid)) reportIfElsewhere(entry, object, owner, storage)
    return namespaced && entry.namespace === '' ? 'nowhere' : 'absent'
  }

  function reportIfElsewhere(entry: Entry, object: ApiObject, owner: OwnerReference, storage: string): void {
    const isElsewhere = store
      .list(storage)
      .entries.some((other) => other.name === owner.name && parsed(other).metadata.uid === owner.uid)
    if (isElsewhere) reportElsewhere(events, registry, entry, object, owner)
    else gone.set(owner.uid, true)
  }

  /** Takes owners out of an object's references. Somebody may write it at the same time; then it is tried again. */
  async function release(entry: Entry, uids: readonly string[], signal: AbortSignal): Promise<void> {
    const kind = kindOf(registry, entry)
    const current = entryAt(store, placeOf(entry))
    if (!kind || !current) return
    const { ownerReferences = [], name = '', resourceVersion } = parsed(current).metadata
    const kept = ownerReferences.filter(({ uid }) => !uids.includes(uid))
    if (kept.length === ownerReferences.length) return
    const metadata = { ownerReferences: kept.length > 0 ? kept : null, resourceVersion }
    const collection = kube.of(resourceOf(registry, kind), entry.namespace || undefined)
    try {
      await collection.patch(name, { type: 'merge', body: { metadata } }, { signal })
    } catch (error) {
      if (isConflict(error)) return release(entry, uids, signal)
      if (!isAbsent(error)) throw error
    }
  }

  const self = controller('garbagecollector', reconcile, {
    ...deps,
    workers,
    watches: [followOwners({ store, registry, index, gone })],
  })
  return self
}

const isBlocking = (dependent: Entry, { uid }: ObjectMeta): boolean =>
  ownersOf(dependent).some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true)

async function removeFinalizer(
  collection: Collection<KubeObject>,
  { name = '', finalizers = [], resourceVersion }: ObjectMeta,
  finalizer: string,
  signal: AbortSignal,
): Promise<void> {
  const kept = finalizers.filter((other) => other !== finalizer)
  const metadata = { finalizers: kept.length > 0 ? kept : null, resourceVersion }
  await collection.patch(name, { type: 'merge', body: { metadata } }, { signal })
}

/** Its owners no longer have to wait for it. */
async function unblock(
  collection: Collection<KubeObject>,
  { name = '', ownerReferences = [], resourceVersion }: ObjectMeta,
  signal: AbortSignal,
): Promise<ObjectMeta> {
  const free = ownerReferences.map((owner) => ({ ...owner, blockOwnerDeletion: false }))
  const body = { metadata: { ownerReferences: free, resourceVersion } }
  return (await collection.patch(name, { type: 'merge', body }, { signal })).metadata
}

function reportElsewhere(
  events: EventRecorder,
  registry: Registry,
  { namespace, storage }: Entry,
  { metadata }: ApiObject,
  { apiVersion, kind, name, uid }: OwnerReference,
): void {
  const dependentKind = kindOf(registry, { storage })
  if (!dependentKind) return
  const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`
  const message = `ownerRef ${owner} does not exist in namespace ${JSON.stringify(namespace)}`
  const happening = { type: 'Warning' as const, reason: reasons.OwnerRefInvalidNamespace, message }
  events.record(resourceOf(registry, dependentKind), { metadata }, happening)
}
