import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.d.ts'
import type { Lease } from 'kubernetes-types/coordination/v1.d.ts'
import type { ManagedCluster } from '../../apis/cluster/managed-cluster.ts'
import type { Condition } from '../../core/conditions.ts'
import { findCondition } from '../../core/conditions.ts'
import type { Stored } from '../../kube/objects.ts'
import type { Finding } from './causes.ts'

/** What the hub shows of one cluster. */
export interface HubSide {
  readonly name: string
  readonly cluster: Stored<ManagedCluster> | undefined
  readonly csrs: readonly Stored<CertificateSigningRequest>[]
  readonly lease: Lease | undefined
  /** By which a hub leads. Absent where it runs without election, or is somebody else's. */
  readonly leader?: Lease | undefined
  /** Rights the cluster should have and has not, as `kind/name`. */
  readonly missingRights: readonly string[]
}

export type Look = (side: HubSide & { cluster: Stored<ManagedCluster> }, now: Date) => Finding | undefined

export const conditionOf = ({ status }: ManagedCluster, type: string): Condition | undefined =>
  findCondition(status?.conditions, type)
