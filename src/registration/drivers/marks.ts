import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import { annotations } from '../../fleet/names.ts'
import type { KubeObject, Stored } from '../../kube/objects.ts'
import type { DriverName } from './driver.ts'

/**
 * What tells on a ManagedCluster by which way it comes. Apart from the drivers, because a hub has to know a cluster of
 * a way that it does not offer, and loads nothing of that way.
 */

/** By which the agent of an EKS cluster says who it is: the seed's name, and the two of the field. */
export const awsAnnotations = {
  arn: 'eks-managed-cluster-arn',
  fieldArn: 'agent.open-cluster-management.io/managed-cluster-arn',
  fieldSuffix: 'agent.open-cluster-management.io/managed-cluster-iam-role-suffix',
} as const

/** `<role>:<mapping>[,<mapping>]`, and `:begun` after it until all of it is in place. */
export const awsRecordAnnotation = annotations.awsRole

export const awsRecordBegun = 'begun'

/** The record as it is written. Whoever acts on it in AWS makes sure first that it names something of ours. */
export interface WrittenAwsRecord {
  readonly role: string
  readonly mappings: readonly string[]
  readonly isBegun: boolean
}

/** Undefined when nothing is on record, or nothing of this form. */
export function writtenAwsRecord({ metadata }: ManagedCluster): WrittenAwsRecord | undefined {
  const [role, mappings = '', state, ...rest] = metadata?.annotations?.[awsRecordAnnotation]?.split(':') ?? []
  const isKnown = rest.length === 0 && (state === undefined || state === awsRecordBegun)
  return role && isKnown ? { role, mappings: mappings.split(','), isBegun: state === awsRecordBegun } : undefined
}

/** The same record, of which nobody knows whether all of it is in place. */
export const begunAwsRecord = (record: string): string =>
  record.endsWith(`:${awsRecordBegun}`) ? record : `${record}:${awsRecordBegun}`

/** Whether both have the same role on record. */
export function isSameAwsRole(one: ManagedCluster, other: ManagedCluster): boolean {
  const role = writtenAwsRecord(one)?.role
  return role !== undefined && role === writtenAwsRecord(other)?.role
}

/** The record as the namespace of a cluster has it too: what it says, and of which cluster. */
export const copyOfRecord = (record: string, uid: string): string => `${record} ${uid}`

/**
 * The cluster whose record is copied to its namespace, as far as a driver needs it to take back what it gave. It has no
 * version, because it need not be there any more.
 */
export function clusterOnRecord({ metadata }: Stored<KubeObject>): Stored<ManagedCluster> | undefined {
  const [record, uid, ...rest] = metadata.annotations?.[awsRecordAnnotation]?.split(' ') ?? []
  if (!record || !uid || rest.length > 0) return undefined
  const { name } = metadata
  return { metadata: { name, uid, resourceVersion: '', annotations: { [awsRecordAnnotation]: record } } }
}

/** The way that is written on the cluster. Whoever says nothing of the kind comes by certificate requests. */
export const wayOf = (cluster: ManagedCluster): DriverName =>
  isOnRecord(cluster) || isAny(cluster, Object.values(awsAnnotations)) ? 'awsirsa' : 'csr'

/** Whether the hub made something for the cluster that only a driver of its way can take back. */
export const isOnRecord = (cluster: KubeObject): boolean => isAny(cluster, [awsRecordAnnotation])

const isAny = ({ metadata }: KubeObject, names: readonly string[]): boolean =>
  names.some((name) => metadata?.annotations?.[name] !== undefined)
