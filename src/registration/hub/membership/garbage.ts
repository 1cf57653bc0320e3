import type { CheckpointName } from '../../../core/checkpoint.ts'
import { annotations } from '../../../fleet/names.ts'
import { isNotFound } from '../../../kube/failures.ts'
import type { KubeObject, List, ObjectMeta } from '../../../kube/objects.ts'
import { resource } from '../../../kube/objects.ts'
import type { GcResource } from '../deps.ts'
import type { Membership } from './context.ts'
import { together } from './context.ts'

/** What is left of the first kind that is not gone yet. */
export interface Remaining {
  /** `manifestworks.work.open-cluster-management.io` */
  resource: string
  count: number
  /** How many of them are deleted and held by a finalizer. */
  held: number
}

type Item = { metadata: ObjectMeta }

/** From `cleanup-priority`: 0 to 100, and 0 for whatever is not such a number. */
export function priorityOf({ metadata }: Item): number {
  const text = metadata.annotations?.[annotations.cleanupPriority] ?? ''
  const priority = /^\d{1,3}$/.test(text) ? Number(text) : 0
  return priority <= 100 ? priority : 0
}

/** Those that go now: all of the lowest priority. The next ones wait until these are gone. */
export function nextToGo<T extends Item>(items: readonly T[]): T[] {
  const lowest = Math.min(...items.map(priorityOf))
  return items.filter((item) => priorityOf(item) === lowest)
}

export const remaining = (kind: GcResource, items: readonly Item[]): Remaining => ({
  resource: kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`,
  count: items.length,
  held: items.filter(({ metadata }) => metadata.deletionTimestamp && (metadata.finalizers ?? []).length > 0).length,
})

const checkpoints: Readonly<Record<string, CheckpointName>> = {
  managedclusteraddons: 'deletion.addons-gone',
  manifestworks: 'deletion.works-gone',
}

/** Deletes what is next in a cluster's namespace; undefined once nothing is left. Kinds go in the order of the settings. */
export async function collectGarbage(
  membership: Membership,
  cluster: string,
  signal: AbortSignal,
): Promise<Remaining | undefined> {
  for (const kind of membership.settings.gcResources) {
    const left = await emptyOf(kind, membership, cluster, signal)
    if (left) return left
    const passed = checkpoints[kind.plural]
    if (passed) membership.checkpoint(passed)
  }
  return undefined
}

/** Goes on until nothing of the kind is left, or what is next is deleted and does not go. */
async function emptyOf(kind: GcResource, membership: Membership, cluster: string, signal: AbortSignal) {
  const collection = membership.kube.of(addressOf(kind), cluster)
  for (;;) {
    const { items, metadata } = await itemsOf(membership, kind, cluster, signal)
    if (items.length === 0) return undefined
    const next = nextToGo(items)
    const due = next.filter((item) => !item.metadata.deletionTimestamp)
    if (due.length === 0) {
      const names = next.map((item) => item.metadata.name)
      expectGone(membership, kind, cluster, { names, resourceVersion: metadata.resourceVersion })
      return remaining(kind, items)
    }
    await together(due.map((item) => collection.delete(item.metadata.name, { signal })))
  }
}

export const works: GcResource = { group: 'work.open-cluster-management.io', version: 'v1', plural: 'manifestworks' }

/** How many works a cluster still has; brings it back when the last one goes. */
export async function worksLeft(membership: Membership, cluster: string, signal: AbortSignal): Promise<number> {
  const { items, metadata } = await itemsOf(membership, works, cluster, signal)
  const names = items.map((item) => item.metadata.name)
  if (names.length > 0) expectGone(membership, works, cluster, { names, resourceVersion: metadata.resourceVersion })
  return names.length
}

const addressOf = ({ group, version, plural }: GcResource) =>
  resource<KubeObject>(group === '' ? version : `${group}/${version}`, plural, plural)

/** A kind that the server does not serve has no objects. */
async function itemsOf({ kube }: Membership, kind: GcResource, cluster: string, signal: AbortSignal) {
  try {
    return await kube.of(addressOf(kind), cluster).metadata.list({ signal })
  } catch (error) {
    if (isNotFound(error)) return { items: [], metadata: { resourceVersion: '' } } satisfies List<KubeObject>
    throw error
  }
}

function expectGone(
  { kube, drainWatches }: Membership,
  kind: GcResource,
  cluster: string,
  listed: { names: string[]; resourceVersion: string },
): void {
  drainWatches.expect(cluster, kind.plural, kube.of(addressOf(kind), cluster).metadata, listed)
}
