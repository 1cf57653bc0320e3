import { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import { isAbsent, isConflict } from '../../../kube/failures.ts'
import type { Kube } from '../../../kube/kube.ts'
import type { Stored } from '../../../kube/objects.ts'
import type { MappingKind } from './mapping/mapping.ts'
import { hubRolePrefix } from './names.ts'

/**
 * On a ManagedCluster, from before the first object is made for it in AWS until the last one is gone: the role, and how
 * EKS knows it. `<role>:<mapping>[,<mapping>]`. It says where to look, not what is ours: tags do.
 */
export const recordAnnotation = 'lanyard.io/aws-role'

export interface AwsRecord {
  role: string
  /** More than one while the EKS cluster moves from one to the other. */
  mappings: readonly MappingKind[]
}

const kinds: readonly string[] = ['access-entry', 'aws-auth'] satisfies MappingKind[]

export const recordText = ({ role, mappings }: AwsRecord): string => `${role}:${[...new Set(mappings)].toSorted()}`

/** What is on record; undefined when nothing is, or nothing that this hub wrote. */
export function recordOn(cluster: ManagedCluster): AwsRecord | undefined {
  const [role = '', mappings = '', ...rest] = (textOn(cluster) ?? '').split(':')
  const isOurs = role.startsWith(hubRolePrefix) && /^[a-z0-9-]+$/.test(role) && rest.length === 0
  if (!isOurs) return undefined
  return { role, mappings: mappings.split(',').filter((kind): kind is MappingKind => kinds.includes(kind)) }
}

/** Each lost to a write of somebody else, such as the agent's report. */
const mostTries = 5

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
