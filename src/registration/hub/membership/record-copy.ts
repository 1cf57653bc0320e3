import type { Namespace } from 'kubernetes-types/core/v1.d.ts'
import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { isAbsent } from '../../../kube/failures.ts'
import { namespaces } from '../../../kube/kinds.ts'
import type { Stored } from '../../../kube/objects.ts'
import {
  awsRecordAnnotation,
  begunAwsRecord,
  clusterOnRecord,
  copyOfRecord,
  isOnRecord,
  isSameAwsRole,
  writtenAwsRecord,
} from '../../drivers/marks.ts'
import type { Cluster, Membership } from './context.ts'

/**
 * The namespace of a cluster tells what is on record for it, too, should the cluster go by force. A driver writes both;
 * a record of before there were copies, or from before there was a namespace, is alone until the hub comes by.
 */
export async function keepCopy(membership: Membership, cluster: Cluster, signal: AbortSignal): Promise<void> {
  if (!writtenAwsRecord(cluster)) return
  const record = cluster.metadata.annotations?.[awsRecordAnnotation] ?? ''
  const isWithout = (namespace: Stored<Namespace> | undefined) => !namespace || !clusterOnRecord(namespace)
  if (!isWithout(membership.view.namespaces.get(cluster.metadata.name))) return
  const namespace = await namespaceOf(membership, cluster, signal)
  if (namespace && isWithout(namespace))
    await write(membership, namespace, copyOfRecord(record, cluster.metadata.uid), signal)
}

/** Once nothing is on record any more: a person may have removed that where nobody but people could, and without this. */
export async function dropCopy(membership: Membership, cluster: Cluster, signal: AbortSignal): Promise<void> {
  const isOwn = (namespace: Stored<Namespace> | undefined) =>
    namespace !== undefined && clusterOnRecord(namespace)?.metadata.uid === cluster.metadata.uid
  if (!isOwn(membership.view.namespaces.get(cluster.metadata.name))) return
  const namespace = await namespaceOf(membership, cluster, signal)
  if (namespace && isOwn(namespace)) await write(membership, namespace, null, signal)
}

/**
 * A cluster that comes back from a backup has another uid, and what is on record in its namespace is its own all the
 * same: it goes on with that. Where its record did not come back, nobody knows whether all of it is in place.
 */
export async function takeOver(membership: Membership, cluster: Cluster, signal: AbortSignal): Promise<Cluster> {
  const { name, uid, resourceVersion } = cluster.metadata
  const before = (namespace: Stored<Namespace> | undefined) => {
    const copied = namespace && clusterOnRecord(namespace)
    return copied && copied.metadata.uid !== uid && isOf(membership, cluster, copied) ? copied : undefined
  }
  if (!before(membership.view.namespaces.get(name))) return cluster
  const namespace = await namespaceOf(membership, cluster, signal)
  const earlier = before(namespace)
  if (!namespace || !earlier) return cluster
  const record = (isOnRecord(cluster) ? cluster : earlier).metadata.annotations?.[awsRecordAnnotation] ?? ''
  const text = isOnRecord(cluster) ? record : begunAwsRecord(record)
  const body = { metadata: { uid, resourceVersion, annotations: { [awsRecordAnnotation]: text } } }
  const held = isOnRecord(cluster)
    ? cluster
    : await membership.kube.of(ManagedCluster.resource).patch(name, { type: 'merge', body }, { signal })
  await write(membership, namespace, copyOfRecord(text, uid), signal)
  return held
}

const isOf = ({ drivers }: Membership, cluster: Cluster, earlier: Cluster): boolean =>
  isSameAwsRole(cluster, earlier) || drivers.some((driver) => driver.isToHave?.(cluster, earlier))

const namespaceOf = ({ kube }: Membership, { metadata }: Cluster, signal: AbortSignal) =>
  kube.of(namespaces).find(metadata.name, { signal })

/** The version guards it: what somebody wrote meanwhile may be the last trace of a role. */
async function write(
  { kube }: Membership,
  { metadata }: Stored<Namespace>,
  copy: string | null,
  signal: AbortSignal,
): Promise<void> {
  const { name, uid, resourceVersion } = metadata
  const body = { metadata: { uid, resourceVersion, annotations: { [awsRecordAnnotation]: copy } } }
  try {
    await kube.of(namespaces).patch(name, { type: 'merge', body }, { signal })
  } catch (error) {
    if (!isAbsent(error)) throw error
  }
}
