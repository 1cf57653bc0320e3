import { isDeepStrictEqual } from 'node:util'
import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { findCondition } from '../../../core/conditions.ts'
import { annotations, conditions, finalizers } from '../../../fleet/names.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { Change } from '../../../kube/store.ts'
import { reasons } from '../../reasons.ts'

/** Where a cluster is on its way in or out. `new`: never accepted, so nothing may be there for it. */
export type Phase = 'new' | 'accepted' | 'denied' | 'deleting'

export function phaseOf(cluster: Stored<ManagedCluster>): Phase {
  if (cluster.metadata.deletionTimestamp) return 'deleting'
  if (cluster.spec?.hubAcceptsClient) return 'accepted'
  return wasAccepted(cluster) ? 'denied' : 'new'
}

export const wasAccepted = (cluster: Stored<ManagedCluster>): boolean =>
  hasFinalizer(cluster, finalizers.apiResourceCleanup) ||
  acceptance(cluster) !== undefined ||
  annotations.acceptedBefore in (cluster.metadata.annotations ?? {})

/** Whether the cluster was in before and somebody put it out, also where the traces of its acceptance are gone. */
export function isDenied(cluster: Stored<ManagedCluster>): boolean {
  const { automaticallyAcceptedOn, unjoinedAt } = annotations
  const written = cluster.metadata.annotations ?? {}
  const phase = phaseOf(cluster)
  return phase === 'denied' || (phase === 'new' && (automaticallyAcceptedOn in written || unjoinedAt in written))
}

/** The finalizers of ours that a live cluster should have. */
export const wantedFinalizers = (phase: Phase): string[] =>
  phase === 'new' ? [finalizers.resourceCleanup] : [finalizers.apiResourceCleanup, finalizers.resourceCleanup]

export const hasFinalizer = ({ metadata }: Stored<ManagedCluster>, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) ?? false

const acceptance = (cluster: Stored<ManagedCluster>) => findCondition(cluster.status?.conditions, conditions.accepted)

/**
 * Whether a change of a cluster is anything to act on. Our own writes are not, or each acceptance would be looked at
 * twice, the second time by informers that lag behind what it wrote.
 */
export function isNews(change: Change<ManagedCluster>): boolean {
  if (change.type !== 'updated') return true
  const { previous, object } = change
  return (
    phaseOf(previous) !== phaseOf(object) ||
    previous.spec?.hubAcceptsClient !== object.spec?.hubAcceptsClient ||
    !isDeepStrictEqual(annotationsOf(previous), annotationsOf(object)) ||
    ourFinalizers.some((finalizer) => hasFinalizer(previous, finalizer) && !hasFinalizer(object, finalizer)) ||
    (acceptance(previous)?.reason !== acceptance(object)?.reason && !isReported(object))
  )
}

const ourFinalizers = [finalizers.apiResourceCleanup, finalizers.resourceCleanup]

const noted: readonly string[] = [
  annotations.agentName,
  annotations.certificateIssuedAt,
  annotations.certificateExpiresAt,
  annotations.certificateFingerprint,
  annotations.createdBy,
  annotations.acceptedBefore,
  annotations.replaceAgent,
  annotations.automaticallyAcceptedOn,
]

/** What a driver may go by, and the mark of an unjoin; not what the hub itself notes, unless people may do it for the hub. */
function annotationsOf({ metadata }: Stored<ManagedCluster>): object {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => !noted.includes(name)))
}

/** An Error is retried by whoever met it. */
function isReported(cluster: Stored<ManagedCluster>): boolean {
  const reason = acceptance(cluster)?.reason
  if (reason === reasons.Error) return true
  return reason === (cluster.spec?.hubAcceptsClient ? reasons.HubClusterAdminAccepted : reasons.HubClusterAdminDenied)
}
