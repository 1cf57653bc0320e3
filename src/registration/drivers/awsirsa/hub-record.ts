import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { isAbsent, isConflict, isForbidden } from '../../../kube/failures.ts'
import { namespaces } from '../../../kube/kinds.ts'
import type { Kube } from '../../../kube/kube.ts'
import type { Stored } from '../../../kube/objects.ts'
import { awsRecordAnnotation, awsRecordBegun, clusterOnRecord, copyOfRecord, writtenAwsRecord } from '../marks.ts'
import { failures } from './failures.ts'
import type { MappingKind } from './mapping/mapping.ts'
import { hubRolePrefix } from './names.ts'

export const recordAnnotation = awsRecordAnnotation

export interface AwsRecord {
  role: string
  /** More than one while the EKS cluster moves from one to the other. */
  mappings: readonly MappingKind[]
  /** Not all of it is in place yet; a hub that cannot look for itself goes by this. */
  isBegun?: boolean
}

const kinds: readonly string[] = ['access-entry', 'aws-auth'] satisfies MappingKind[]

export const recordText = ({ role, mappings, isBegun }: AwsRecord): string =>
  [role, `${[...new Set(mappings)].toSorted()}`, ...(isBegun ? [awsRecordBegun] : [])].join(':')

/** What is on record; undefined when nothing is, or nothing that this hub wrote. */
export function recordOn(cluster: ManagedCluster): AwsRecord | undefined {
  const { role = '', mappings = [], isBegun = false } = writtenAwsRecord(cluster) ?? {}
  if (!role.startsWith(hubRolePrefix) || !/^[a-z0-9-]+$/.test(role)) return undefined
  return {
    role,
    mappings: mappings.filter((kind): kind is MappingKind => kinds.includes(kind)),
    ...(isBegun && { isBegun }),
  }
}

/** Each lost to a write of somebody else, such as the agent's report. */
const mostTries = 5

/**
 * In its namespace, too, and there first: where somebody removes the finalizers of a cluster while no hub runs, nothing
 * else is left that tells of its role. People without rights to namespaces do without.
 */
async function copyRecord(kube: Kube, cluster: Stored<ManagedCluster>, record: AwsRecord | undefined): Promise<void> {
  const { name, uid } = cluster.metadata
  const collection = kube.of(namespaces)
  try {
    const namespace = await collection.find(name)
    const copied = namespace && clusterOnRecord(namespace)
    const isOwn = copied?.metadata.uid === uid
    if (!namespace || (!record && !isOwn)) return
    const earlier = copied && !isOwn ? recordOn(copied) : undefined
    if (record && earlier)
      throw failures.AWS_ROLE_OF_EARLIER({
        role: earlier.role,
        cluster: name,
        detail: 'its namespace still names it',
        annotation: recordAnnotation,
      })
    const annotations = { [recordAnnotation]: record ? copyOfRecord(recordText(record), uid) : null }
    // What somebody wrote meanwhile may be the last trace of a role.
    const { uid: of, resourceVersion } = namespace.metadata
    await collection.patch(name, { type: 'merge', body: { metadata: { uid: of, resourceVersion, annotations } } })
  } catch (error) {
    if (!isAbsent(error) && !isForbidden(error)) throw error
  }
}

/**
 * Replaces the record that was read, and no other: one that this pass has not seen may name a role that would be
 * forgotten. Undefined when this very cluster is gone, and nothing may be made for it.
 */
export async function writeRecord(
  kube: Kube,
  cluster: Stored<ManagedCluster>,
  record: AwsRecord | undefined,
): Promise<Stored<ManagedCluster> | undefined> {
  const collection = kube.of(ManagedCluster.resource)
  const { name, uid } = cluster.metadata
  const annotations = { [recordAnnotation]: record ? recordText(record) : null }
  let { resourceVersion } = cluster.metadata
  await copyRecord(kube, cluster, record)
  if (resourceVersion === '') return undefined
  for (let tries = 1; ; tries++) {
    try {
      return await collection.patch(name, { type: 'merge', body: { metadata: { uid, resourceVersion, annotations } } })
    } catch (error) {
      if (isAbsent(error)) return undefined
      if (!isConflict(error) || tries === mostTries) throw error
      const newer = await collection.find(name)
      if (newer?.metadata.uid !== uid) return undefined
      if (textOn(newer) !== textOn(cluster)) throw error
      resourceVersion = newer.metadata.resourceVersion
    }
  }
}

const textOn = ({ metadata }: ManagedCluster): string | undefined => metadata?.annotations?.[recordAnnotation]
