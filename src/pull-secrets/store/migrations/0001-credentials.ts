import type { Kysely, Migration } from 'kysely'
import { sql } from 'kysely'

const statements = [
  `CREATE TABLE pull_secret_clusters (
     cluster_id text PRIMARY KEY,
     hyperfleet_instance_id text NOT NULL,
     cloud_provider text NOT NULL,
     region text NOT NULL,
     external_resource_id text CHECK (external_resource_id <> ''),
     owner text,
     policy_days integer CHECK (policy_days > 0),
     generation integer NOT NULL DEFAULT 0,
     last_rotated_at timestamptz,
     deleting_at timestamptz,
     created_at timestamptz NOT NULL DEFAULT now(),
     updated_at timestamptz NOT NULL DEFAULT now())`,

  `CREATE TABLE registry_credentials (
     id uuid PRIMARY KEY,
     username varchar(255) NOT NULL,
     token bytea,
     key_id text,
     account_id text,
     registry_id varchar(50) NOT NULL,
     external_resource_id text CHECK (external_resource_id <> ''),
     hyperfleet_instance_id text NOT NULL,
     external_name text NOT NULL CHECK (external_name <> ''),
     external_ref text,
     state text NOT NULL CHECK (state IN
       ('provisioning', 'staged', 'active', 'superseded', 'suspended', 'revoking', 'failed')),
     generation integer NOT NULL DEFAULT 0,
     rotation_id uuid,
     issued_at timestamptz,
     expires_at timestamptz,
     last_error text,
     attempts integer NOT NULL DEFAULT 0,
     next_attempt_at timestamptz,
     created_at timestamptz NOT NULL DEFAULT now(),
     updated_at timestamptz NOT NULL DEFAULT now(),
     CHECK ((token IS NULL) = (key_id IS NULL)))`,
  'CREATE UNIQUE INDEX registry_credentials_external_name ON registry_credentials (registry_id, external_name)',
  `CREATE UNIQUE INDEX registry_credentials_generation
     ON registry_credentials (hyperfleet_instance_id, account_id, registry_id, generation) WHERE account_id IS NOT NULL`,
  `CREATE UNIQUE INDEX registry_credentials_one_active
     ON registry_credentials (account_id, registry_id) WHERE state = 'active' AND account_id IS NOT NULL`,
  'CREATE INDEX registry_credentials_account ON registry_credentials (account_id)',
  'CREATE INDEX registry_credentials_registry ON registry_credentials (registry_id)',
  'CREATE INDEX registry_credentials_external ON registry_credentials (account_id, external_resource_id)',
  'CREATE INDEX registry_credentials_instance ON registry_credentials (hyperfleet_instance_id, account_id)',
  `CREATE INDEX registry_credentials_pool ON registry_credentials (registry_id, issued_at)
     WHERE account_id IS NULL AND state = 'active'`,
  'CREATE INDEX registry_credentials_newest ON registry_credentials (created_at DESC, id DESC)',
  'CREATE INDEX registry_credentials_expiry ON registry_credentials (expires_at) WHERE expires_at IS NOT NULL',
  'CREATE INDEX registry_credentials_key ON registry_credentials (key_id, id) WHERE key_id IS NOT NULL',
  `CREATE INDEX registry_credentials_age ON registry_credentials (issued_at)
     WHERE state = 'active' AND account_id IS NOT NULL`,
  `CREATE INDEX registry_credentials_unsettled ON registry_credentials (updated_at)
     WHERE state IN ('provisioning', 'revoking')`,

  `CREATE TABLE pull_secret_rotations (
     id uuid PRIMARY KEY,
     cluster_id text NOT NULL,
     status text NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed', 'failed', 'cancelled')),
     phase text CHECK (phase IN ('creating', 'dual', 'revoking')),
     reason text NOT NULL CHECK (reason IN ('scheduled', 'compromise', 'manual')),
     force_immediate boolean NOT NULL DEFAULT false,
     revoke_first boolean NOT NULL DEFAULT false,
     policy_days integer,
     registries text[],
     requested_by text NOT NULL,
     event_id text,
     flipped_at timestamptz,
     grace_deadline timestamptz,
     warned_at timestamptz,
     confirmed_at timestamptz,
     cancelled_at timestamptz,
     completed_at timestamptz,
     last_error text,
     attempts integer NOT NULL DEFAULT 0,
     next_attempt_at timestamptz,
     created_at timestamptz NOT NULL DEFAULT now(),
     updated_at timestamptz NOT NULL DEFAULT now())`,
  `CREATE UNIQUE INDEX pull_secret_rotations_one_open
     ON pull_secret_rotations (cluster_id) WHERE status IN ('pending', 'in_progress')`,
  'CREATE UNIQUE INDEX pull_secret_rotations_event ON pull_secret_rotations (event_id) WHERE event_id IS NOT NULL',
  'CREATE INDEX pull_secret_rotations_history ON pull_secret_rotations (cluster_id, created_at DESC)',

  `CREATE TABLE credential_audit_log (
     id uuid PRIMARY KEY,
     cluster_id text,
     credential_id uuid,
     registry_id text,
     action text NOT NULL,
     actor text NOT NULL,
     reason text,
     trace_id text,
     created_at timestamptz NOT NULL DEFAULT now())`,
  'CREATE INDEX credential_audit_log_cluster ON credential_audit_log (cluster_id, created_at DESC)',
  'CREATE INDEX credential_audit_log_newest ON credential_audit_log (created_at)',

  `CREATE TABLE credential_intents (
     id uuid PRIMARY KEY,
     registry_id text NOT NULL,
     hyperfleet_instance_id text NOT NULL,
     cluster_id text,
     credential_id uuid,
     external_name text NOT NULL,
     generation integer NOT NULL,
     op text NOT NULL CHECK (op IN ('create', 'delete', 'suspend', 'recover')),
     phase text NOT NULL CHECK (phase IN
       ('planned', 'external_done', 'committed', 'compensating', 'done', 'failed')),
     attempts integer NOT NULL DEFAULT 0,
     next_attempt_at timestamptz,
     last_error text,
     created_at timestamptz NOT NULL DEFAULT now(),
     updated_at timestamptz NOT NULL DEFAULT now())`,
  `CREATE UNIQUE INDEX credential_intents_name ON credential_intents (registry_id, external_name, op)
     WHERE phase IN ('planned', 'external_done', 'compensating')`,
  `CREATE INDEX credential_intents_open ON credential_intents (next_attempt_at)
     WHERE phase IN ('planned', 'external_done', 'compensating')`,
  'CREATE INDEX credential_intents_credential ON credential_intents (credential_id)',
  'CREATE INDEX credential_intents_cluster ON credential_intents (cluster_id, registry_id)',
  'CREATE INDEX credential_intents_ever ON credential_intents (registry_id, external_name)',

  `CREATE TABLE event_outbox (
     seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     id uuid NOT NULL UNIQUE,
     channel text NOT NULL CHECK (channel IN ('event', 'status')),
     type text NOT NULL,
     cluster_id text,
     data jsonb NOT NULL,
     traceparent text,
     attempts integer NOT NULL DEFAULT 0,
     next_attempt_at timestamptz,
     published_at timestamptz,
     last_error text,
     created_at timestamptz NOT NULL DEFAULT now())`,
  'CREATE INDEX event_outbox_unpublished ON event_outbox (channel, seq) WHERE published_at IS NULL',

  `CREATE TABLE processed_events (
     source text NOT NULL,
     id text NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (source, id))`,

  `CREATE TABLE encryption_keys (
     key_id text PRIMARY KEY,
     status text NOT NULL CHECK (status IN ('active', 'decrypt_only', 'retired')),
     created_at timestamptz NOT NULL DEFAULT now(),
     updated_at timestamptz NOT NULL DEFAULT now())`,
  `CREATE UNIQUE INDEX encryption_keys_one_active ON encryption_keys (status) WHERE status = 'active'`,

  `CREATE TABLE cluster_suspensions (
     cluster_id text PRIMARY KEY,
     phase text NOT NULL CHECK (phase IN ('suspending', 'suspended', 'resuming')),
     suspended_by text NOT NULL,
     reason text NOT NULL,
     suspended_at timestamptz NOT NULL DEFAULT now())`,

  `CREATE TABLE idempotency_keys (
     scope text NOT NULL,
     key text NOT NULL,
     request_hash text NOT NULL,
     rotation_id uuid NOT NULL,
     created_at timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (scope, key))`,

  `CREATE TABLE sink_deliveries (
     cluster_id text NOT NULL,
     sink text NOT NULL,
     document_hash text,
     wanted text NOT NULL CHECK (wanted IN ('present', 'absent')),
     version text,
     attempts integer NOT NULL DEFAULT 0,
     next_attempt_at timestamptz,
     last_error text,
     updated_at timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (cluster_id, sink))`,

  `CREATE TABLE pool_alerts (
     registry_id text PRIMARY KEY,
     raised_at timestamptz NOT NULL DEFAULT now())`,
]

export const credentials: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
