import type { ColumnType, Generated, Kysely, Transaction } from 'kysely'

/** Set by the database's own clock. */
type Stamped = ColumnType<Date, Date | undefined, Date>
type Moment = Date | null

export const credentialStates = [
  /** An account may exist outside, or not: its intent knows. No token, unless we chose it ourselves. */
  'provisioning',
  /** Made by a rotation, not to be served before all of its siblings are there. */
  'staged',
  /** Served; of the pool while it belongs to no cluster. */
  'active',
  /** Replaced, and still good at the registry until the rotation ends. */
  'superseded',
  /** Its account outside is gone or disabled, its token wiped. */
  'suspended',
  /** On its way out: outside first, then here. */
  'revoking',
  /** Nobody can go on with it without a person; its intent says why. */
  'failed',
] as const
export type CredentialState = (typeof credentialStates)[number]

export interface CredentialTable {
  id: string
  /** Exactly what the registry returned; until then the name asked for. */
  username: string
  /** Sealed (`keys/vault.ts`). */
  token: Buffer | null
  key_id: string | null
  /** The cluster, by the name that the record this was lifted from gave the column. Null: of the pool. */
  account_id: string | null
  registry_id: string
  /** Never empty: null where there is none. */
  external_resource_id: string | null
  hyperfleet_instance_id: string
  /** The name in the registry's paths. Never derived from the username. */
  external_name: string
  /** What the registry needs besides to delete it: Harbor's number. */
  external_ref: string | null
  state: CredentialState
  generation: number
  rotation_id: string | null
  issued_at: Moment
  expires_at: Moment
  last_error: string | null
  attempts: Generated<number>
  next_attempt_at: Moment
  created_at: Stamped
  updated_at: Stamped
}

/** What is known of a cluster besides its credentials: a rotation needs it to name new accounts. */
export interface ClusterTable {
  cluster_id: string
  hyperfleet_instance_id: string
  cloud_provider: string
  region: string
  external_resource_id: string | null
  /** Who may rotate, when ownership is read from here. */
  owner: string | null
  /** Overrides the policy of the installation. */
  policy_days: number | null
  /** Counts the changes of what is served, over all registries. */
  generation: Generated<number>
  /** Without one of these nothing is served: what was required of the documents it had so far. */
  needed_registries: Generated<string[]>
  last_rotated_at: Moment
  /** Set while a deletion is on its way: nothing is created any more. */
  deleting_at: Moment
  created_at: Stamped
  updated_at: Stamped
}

export type RotationStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled'
export type RotationPhase = 'creating' | 'dual' | 'revoking'
export type RotationReason = 'scheduled' | 'compromise' | 'manual'

export interface RotationTable {
  id: string
  cluster_id: string
  status: RotationStatus
  phase: RotationPhase | null
  reason: RotationReason
  force_immediate: boolean
  revoke_first: boolean
  policy_days: number | null
  /** Whose credentials it replaces, written down when it begins. Given earlier: only of these. */
  registries: string[] | null
  requested_by: string
  /** Of the CloudEvent that asked for it. */
  event_id: string | null
  flipped_at: Moment
  grace_deadline: Moment
  /** When the warning before the end of the grace went out. */
  warned_at: Moment
  confirmed_at: Moment
  cancelled_at: Moment
  completed_at: Moment
  last_error: string | null
  attempts: Generated<number>
  next_attempt_at: Moment
  created_at: Stamped
  updated_at: Stamped
}

export type AuditAction =
  | 'create'
  | 'delete'
  | 'rotate'
  | 'suspend'
  | 'resume'
  | 'assign'
  | 'read'
  | 'reencrypt'
  | 'adopt'
  | 'compensate'

/** Append-only; outlives the cluster. Never a token. */
export interface AuditTable {
  id: string
  cluster_id: string | null
  credential_id: string | null
  registry_id: string | null
  action: AuditAction
  actor: string
  reason: string | null
  trace_id: string | null
  created_at: Stamped
}

/** `suspend`: outside the same as `delete`, or a disabling; the row stays. */
export type IntentOp = 'create' | 'delete' | 'suspend' | 'recover'
export type IntentPhase = 'planned' | 'external_done' | 'committed' | 'compensating' | 'done' | 'failed'

/** Committed before the registry is called, so that nothing outside is ever without a record. */
export interface IntentTable {
  id: string
  registry_id: string
  hyperfleet_instance_id: string
  cluster_id: string | null
  credential_id: string | null
  /** Unique a registry and operation while it is open. */
  external_name: string
  /** Of the credential: a generation that was once on record is not given again, nor is its name. */
  generation: number
  op: IntentOp
  phase: IntentPhase
  attempts: Generated<number>
  next_attempt_at: Moment
  last_error: string | null
  created_at: Stamped
  updated_at: Stamped
}

/** What is to be told outside, written with the change it tells of. */
export interface OutboxTable {
  /** Gives the order. */
  seq: Generated<string>
  /** The id of the CloudEvent, a UUID v7. */
  id: string
  /** `event`: a CloudEvent to publish; `status`: a report to the HyperFleet API. */
  channel: 'event' | 'status'
  type: string
  /** Order is kept a cluster. */
  cluster_id: string | null
  data: ColumnType<Record<string, unknown>, string, never>
  traceparent: string | null
  attempts: Generated<number>
  next_attempt_at: Moment
  published_at: Moment
  last_error: string | null
  created_at: Stamped
}

export interface ProcessedEventTable {
  source: string
  id: string
  created_at: Stamped
}

export interface EncryptionKeyTable {
  key_id: string
  status: 'active' | 'decrypt_only' | 'retired'
  created_at: Stamped
  updated_at: Stamped
}

/** That there is one blocks every way to create. */
export interface SuspensionTable {
  cluster_id: string
  /** `suspending` until everything outside is gone; `resuming` until everything is back. */
  phase: 'suspending' | 'suspended' | 'resuming'
  suspended_by: string
  reason: string
  suspended_at: Stamped
}

export interface IdempotencyTable {
  scope: string
  key: string
  /** Of the request's body: another body under the same key is a mistake. */
  request_hash: string
  rotation_id: string
  created_at: Stamped
}

/** The copy of a cluster's document in one sink. */
export interface DeliveryTable {
  cluster_id: string
  sink: string
  /** Of the document that is there; null when none is. */
  document_hash: string | null
  wanted: 'present' | 'absent'
  /** What the sink calls its latest version. */
  version: string | null
  attempts: Generated<number>
  next_attempt_at: Moment
  last_error: string | null
  updated_at: Stamped
  /** Which state of the cluster was looked at last: while it stays, there is nothing to read. */
  served_mark: string | null
  /** Counts the documents that were put there. */
  revision: Generated<number>
  verified_at: Moment
}

/** What the HyperFleet API calls the generation of a cluster, as far as it was heard: reports of an older one are not read. */
export interface ObservationTable {
  cluster_id: string
  generation: number
  observed_at: Stamped
}

/** That the pool of a registry is low was told, until it has recovered. */
export interface PoolAlertTable {
  registry_id: string
  raised_at: Stamped
}

export interface Tables {
  registry_credentials: CredentialTable
  pull_secret_clusters: ClusterTable
  pull_secret_rotations: RotationTable
  credential_audit_log: AuditTable
  credential_intents: IntentTable
  event_outbox: OutboxTable
  processed_events: ProcessedEventTable
  encryption_keys: EncryptionKeyTable
  cluster_suspensions: SuspensionTable
  idempotency_keys: IdempotencyTable
  sink_deliveries: DeliveryTable
  cluster_observations: ObservationTable
  pool_alerts: PoolAlertTable
}

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>
