import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { ConditionStatus } from '../../core/conditions.ts'
import { findCondition, isTrue } from '../../core/conditions.ts'
import { decisionOn, judgeClusterRequest } from '../../fleet/csr/approval.ts'
import { annotations, conditions, labels } from '../../fleet/names.ts'
import type { Stored } from '../../kube/objects.ts'
import type { DriverName } from '../drivers/driver.ts'
import { wayOf } from '../drivers/marks.ts'
import { arnOf } from './cluster-arn.ts'

/** Where a cluster is on its way into the fleet, or out of it. */
export type Stage = 'pending' | 'accepted' | 'joined' | 'denied' | 'unjoined' | 'deleting'

/** How a cluster stands, in the terms people ask for. */
export interface ClusterOverview {
  readonly name: string
  readonly stage: Stage
  /** By which way it comes, as is written on it. */
  readonly driver: DriverName
  /** Of an EKS cluster that comes by AWS IAM, as its agent says. */
  readonly managedClusterArn?: string
  readonly isAccepted: boolean
  readonly isJoined: boolean
  /** Absent: its agent has never said. */
  readonly available?: ConditionStatus
  /** Whom the newest certificate is for. Absent, as is its end, where the cluster comes by AWS IAM by now. */
  readonly agent?: string
  readonly certificateExpiresAt?: Date
  /** When its agent last renewed its lease, by the agent's clock. */
  readonly heardAt?: Date
  /**
   * CSRs for agents of the cluster that nobody has decided on. One that asks for something else is none. A cluster that
   * comes by AWS IAM makes none: see `isWaiting`.
   */
  readonly pendingRequests: readonly string[]
  readonly sets: readonly string[]
  readonly urls: readonly string[]
  readonly kubernetes?: string
  readonly capacity: Readonly<Record<string, string>>
  readonly createdAt: Date
}

export interface Surroundings {
  lease?: Lease | undefined
  /** Those with the label of the cluster. */
  csrs?: readonly Stored<CertificateSigningRequest>[]
  /** Names of the sets it is in; default: the one of its label. */
  sets?: readonly string[]
}

export function clusterOverview(cluster: Stored<ManagedCluster>, around: Surroundings = {}): ClusterOverview {
  const { metadata, spec = {}, status = {} } = cluster
  const found = status.conditions
  const driver = wayOf(cluster)
  const ofCertificate = driver === 'csr' ? metadata.annotations : undefined
  const agent = ofCertificate?.[annotations.agentName]
  const certificateExpiresAt = dateOf(ofCertificate?.[annotations.certificateExpiresAt])
  const heardAt = dateOf(around.lease?.spec?.renewTime)
  const available = findCondition(found, conditions.available)?.status
  const set = metadata.labels?.[labels.clusterSet]
  const managedClusterArn = arnOf(cluster)
  return {
    name: metadata.name,
    stage: stageOf(cluster),
    driver,
    ...(managedClusterArn && { managedClusterArn }),
    isAccepted: spec.hubAcceptsClient === true,
    isJoined: isTrue(found, conditions.joined),
    ...(available && { available }),
    ...(agent && { agent }),
    ...(certificateExpiresAt && { certificateExpiresAt }),
    ...(heardAt && { heardAt }),
    pendingRequests: (around.csrs ?? []).filter((csr) => asksFor(metadata.name, csr)).map((csr) => csr.metadata.name),
    sets: around.sets ?? (set ? [set] : []),
    urls: (spec.managedClusterClientConfigs ?? []).map(({ url }) => url),
    ...(status.version?.kubernetes && { kubernetes: status.version.kubernetes }),
    capacity: Object.fromEntries(Object.entries(status.capacity ?? {}).map(([name, value]) => [name, String(value)])),
    createdAt: new Date(String(metadata.creationTimestamp)),
  }
}

/** Whether somebody has to decide on it. Where it comes by AWS IAM, that it is there is all that asks for it. */
export const isWaiting = ({
  stage,
  driver,
  pendingRequests,
}: Pick<ClusterOverview, 'stage' | 'driver' | 'pendingRequests'>): boolean =>
  stage === 'pending' && (driver === 'awsirsa' || pendingRequests.length > 0)

/** What a person has to know first: a cluster that goes is going, whatever else is true of it. */
function stageOf({ metadata, spec = {}, status = {} }: Stored<ManagedCluster>): Stage {
  if (metadata.deletionTimestamp) return 'deleting'
  if (spec.hubAcceptsClient) return isTrue(status.conditions, conditions.joined) ? 'joined' : 'accepted'
  if (metadata.annotations?.[annotations.unjoinedAt]) return 'unjoined'
  return findCondition(status.conditions, conditions.accepted) ? 'denied' : 'pending'
}

function asksFor(cluster: string, csr: Stored<CertificateSigningRequest>): boolean {
  if (decisionOn(csr) !== 'none') return false
  const request = judgeClusterRequest(csr)
  return typeof request !== 'string' && request.cluster === cluster
}

function dateOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? undefined : date
}
