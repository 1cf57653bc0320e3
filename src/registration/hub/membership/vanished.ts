import type { Namespace } from 'kubernetes-types/core/v1.d.ts'
import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { rfc3339 } from '../../../core/conditions.ts'
import type { Failure } from '../../../core/failure.ts'
import { isFailure } from '../../../core/failure.ts'
import type { Outcome } from '../../../core/outcome.ts'
import { done, requeueAfter } from '../../../core/outcome.ts'
import { annotations } from '../../../fleet/names.ts'
import { isAbsent, isConflict } from '../../../kube/failures.ts'
import { namespaces } from '../../../kube/kinds.ts'
import type { Stored } from '../../../kube/objects.ts'
import { clusterOnRecord, isOnRecord } from '../../drivers/marks.ts'
import { reasons } from '../../reasons.ts'
import { revokeFrom } from './by-driver.ts'
import type { Cluster, Membership } from './context.ts'
import { inOrder, lookAgainMs } from './context.ts'
import { removeRights } from './deletion.ts'
import { collectGarbage } from './garbage.ts'
import { traces } from './rights.ts'

/**
 * Clears up after a ManagedCluster that is gone, as after one whose finalizers somebody removed. Its rights go first:
 * nobody will deny it any more. `last` is how it was seen last, when this process saw it.
 */
export async function clearUp(
  membership: Membership,
  name: string,
  last: Cluster | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  const { clusterRights, bindings, namespace, cleared, onRecord } = traces(membership, name)
  if (!clusterRights && !bindings && !last && !onRecord && (!namespace || cleared)) return done
  // The informer may only be late to see it, and what follows cannot be undone.
  if (await membership.kube.of(ManagedCluster.resource).find(name, { signal })) return done
  // Before the rights, by which the next hub would know that there is something to do.
  if (cleared) await note(membership, name, { [annotations.cleared]: null }, signal)
  const worksLeft = clusterRights || bindings ? await removeRights(membership, name, signal) : 0
  const left = namespace ? await collectGarbage(membership, name, signal) : undefined
  // After what needs nobody else, who may not answer for hours.
  const revoked = await telling(membership, name, () =>
    inOrder([
      async () => (last ? await revokeFrom(membership, gone(last), signal) : done),
      async () => untilSurelyGone(membership, name, last),
      () => revokeEarlier(membership, name, last && isOnRecord(last) ? last : undefined, signal),
    ]),
  )
  if (left || worksLeft > 0) return requeueAfter(lookAgainMs)
  if (revoked.outcome !== 'done') return revoked
  const nothingLeft = {
    [annotations.cleared]: rfc3339(membership.clock.now()),
    // Not what this pass did not see: it may be the last trace of something that came late.
    ...(onRecord && { [annotations.awsRole]: null }),
  }
  if (namespace) await note(membership, name, nothingLeft, signal)
  membership.aloneSince.delete(name)
  return done
}

/** So that nobody is told to do something about a cluster that is not there. */
const gone = (last: Cluster): Cluster => ({ ...last, metadata: { ...last.metadata, resourceVersion: '' } })

/** A backup may bring namespaces back before the clusters. */
const restoredWithinMs = 600_000

/** What this process saw go is gone. Of what it never saw only the namespace tells, and its cluster may be yet to come. */
function untilSurelyGone({ view, clock, aloneSince }: Membership, name: string, last: Cluster | undefined): Outcome {
  const namespace = view.namespaces.get(name)
  const copied = namespace && clusterOnRecord(namespace)
  if (!copied || copied.metadata.uid === last?.metadata.uid) return done
  const now = clock.now().getTime()
  const since = aloneSince.get(name) ?? now
  aloneSince.set(name, since)
  const leftMs = since + restoredWithinMs - now
  return leftMs > 0 ? requeueAfter(leftMs) : done
}

/** There is no cluster whose condition could tell. */
async function telling({ view, events }: Membership, name: string, revoking: () => Promise<Outcome>): Promise<Outcome> {
  const tell = (failure: Failure) => {
    const namespace = view.namespaces.get(name)
    const { message } = failure
    if (namespace) events.record(namespaces, namespace, { type: 'Warning', reason: reasons.EarlierNotRevoked, message })
  }
  try {
    const outcome = await revoking()
    if (outcome.outcome === 'terminal') tell(outcome.failure)
    return outcome
  } catch (error) {
    if (isFailure(error) && !isConflict(error)) tell(error)
    throw error
  }
}

/**
 * Takes back what an earlier cluster of the name has, outside of the hub and before that on it, as its namespace tells:
 * by what that was known, the cluster of now would be known as well. The server is asked, for what is revoked late may be this one's.
 */
export async function revokeEarlier(
  membership: Membership,
  name: string,
  own: Cluster | undefined,
  signal: AbortSignal,
): Promise<Outcome> {
  const { kube, view } = membership
  const earlierIn = (namespace: Stored<Namespace> | undefined) => {
    const found = namespace && clusterOnRecord(namespace)
    return found?.metadata.uid === own?.metadata.uid ? undefined : found
  }
  if (!earlierIn(view.namespaces.get(name))) return done
  const earlier = earlierIn(await kube.of(namespaces).find(name, { signal }))
  if (!earlier) return done
  const { clusterRights, bindings } = traces(membership, name)
  if (clusterRights || bindings) await removeRights(membership, name, signal)
  return await revokeFrom(membership, earlier, signal)
}

/** Namespaces stay for good; without a mark each of them would be searched at every start of the hub. */
async function note(
  { kube, view }: Membership,
  name: string,
  noted: Readonly<Record<string, string | null>>,
  signal: AbortSignal,
): Promise<void> {
  const namespace = view.namespaces.get(name)
  if (!namespace || namespace.metadata.deletionTimestamp) return
  const body = { metadata: { uid: namespace.metadata.uid, annotations: noted } }
  try {
    await kube.of(namespaces).patch(name, { type: 'merge', body }, { signal })
  } catch (error) {
    if (!isAbsent(error)) throw error
  }
}

/** What an earlier cluster of the same name left behind must not be there for one that was never accepted. */
export async function clearUpBefore(membership: Membership, cluster: Cluster, signal: AbortSignal): Promise<Outcome> {
  const { name } = cluster.metadata
  const { clusterRights, bindings } = traces(membership, name)
  const worksLeft = clusterRights || bindings ? await removeRights(membership, name, signal) : 0
  const revoked = await revokeEarlier(membership, name, cluster, signal)
  return worksLeft > 0 ? requeueAfter(lookAgainMs) : revoked
}
