/** What the service can do, whoever asks: the REST API, events, the command line and tests call the same functions. */
import type { Actor } from './actor.ts'
import type { ClusterFacts } from './cluster.ts'
import type { Document } from './document.ts'
import type { CredentialState, RotationPhase, RotationReason, RotationStatus } from './store/tables.ts'

export interface GenerateRequest {
  cluster: ClusterFacts
  /** Ids of registries; aliases follow their source. Absent: all. */
  registries?: readonly string[]
}

/** Of one credential, without its token. */
export interface CredentialView {
  id: string
  registryId: string
  username: string
  generation: number
  state: CredentialState
  createdAt: Date
  issuedAt?: Date
  expiresAt?: Date
}

export interface PullSecret {
  clusterId: string
  document: Document
  credentials: readonly CredentialView[]
  /** Counts the changes of what is served. */
  generation: number
  /** Of the generations that are served: the same while nothing changed. */
  etag: string
  createdAt: Date
  lastRotatedAt?: Date
}

/** Per registry: whether what was asked for has happened outside. */
export type RegistryProgress = Readonly<Record<string, 'done' | 'pending'>>

export interface Issuing {
  /** Makes what is missing. All or nothing; what was made before a failure is used by the next call. */
  generate(request: GenerateRequest, actor: Actor): Promise<{ pullSecret: PullSecret; created: boolean }>
  /** Never makes anything. Throws PULL_NO_SECRET. Each read is audited. */
  read(clusterId: string, actor: Actor): Promise<PullSecret>
  /** The ETag alone, cheaply and unaudited; undefined when there is nothing to serve. */
  etag(clusterId: string): Promise<string | undefined>
}

export interface Ending {
  /** Idempotent. An open rotation is cancelled. */
  remove(clusterId: string, actor: Actor): Promise<{ registries: RegistryProgress }>
  suspend(clusterId: string, reason: string, actor: Actor): Promise<{ registries: RegistryProgress }>
  resume(clusterId: string, reason: string, actor: Actor): Promise<PullSecret>
}

export interface RotationRequest {
  clusterId: string
  reason: RotationReason
  forceImmediate?: boolean
  revokeFirst?: boolean
  /** The same key gives the same rotation, for a day. */
  idempotencyKey?: string
  /** Of the CloudEvent. */
  eventId?: string
}

export interface RotationView {
  id: string
  clusterId: string
  status: RotationStatus
  phase?: RotationPhase
  reason: RotationReason
  forceImmediate: boolean
  requestedBy: string
  graceDeadline?: Date
  confirmedAt?: Date
  completedAt?: Date
  cancelledAt?: Date
  lastError?: string
  createdAt: Date
  updatedAt: Date
}

export interface Page<T> {
  items: readonly T[]
  page: number
  size: number
  total: number
}

export interface Rotating {
  /** `isNew` is false for a repeat by the same key or event. Throws PULL_ROTATION_OPEN with the open one's id. */
  request(request: RotationRequest, actor: Actor): Promise<{ rotation: RotationView; isNew: boolean }>
  get(clusterId: string, id: string): Promise<RotationView>
  list(clusterId: string, page: { page: number; size: number }): Promise<Page<RotationView>>
  /** The new credentials are in use: the old ones may go. */
  confirm(clusterId: string, id: string, actor: Actor): Promise<RotationView>
  /** By an operator, before the flip only. */
  cancel(clusterId: string, id: string, actor: Actor): Promise<RotationView>
}

export interface PoolView {
  registryId: string
  size: number
  high: number
  low: number
  isLow: boolean
}

export interface Pooling {
  list(): Promise<readonly PoolView[]>
  /** One batch, now. */
  fill(registryId: string, actor: Actor): Promise<PoolView>
}

export interface PullSecretService {
  issuing: Issuing
  ending: Ending
  rotating: Rotating
  pooling: Pooling
}
