import type { CredentialState } from '../store/tables.ts'
import type { Listing } from './listing.ts'
import { base, secretPath } from './paths.ts'
import { times } from './present.ts'
import { cluster, credential } from './schemas.ts'

interface CredentialListRow extends Record<string, unknown> {
  id: string
  account_id: string | null
  registry_id: string
  username: string
  generation: number
  state: CredentialState
  rotation_id: string | null
  created_at: Date
  issued_at: Date | null
  expires_at: Date | null
}

const fieldsOf = (schema: { properties: object }): string[] => Object.keys(schema.properties)

/** Everything but the token, which is not even read. */
export const credentialListing: Listing<CredentialListRow> = {
  kind: 'CredentialList',
  path: `${base}/credentials`,
  table: 'registry_credentials',
  idColumn: 'id',
  idType: 'uuid',
  select: 'id, account_id, registry_id, username, generation, state, rotation_id, created_at, issued_at, expires_at',
  orders: { created_time: { column: 'created_at', type: 'timestamptz' } },
  searched: {
    id: { type: 'uuid', column: 'id' },
    cluster_id: { type: 'text', column: 'account_id' },
    registry_id: { type: 'text', column: 'registry_id' },
    state: { type: 'text', column: 'state' },
    username: { type: 'text', column: 'username', hasPrefix: true },
    generation: { type: 'integer', column: 'generation' },
    rotation_id: { type: 'uuid', column: 'rotation_id' },
    created_time: { type: 'time', column: 'created_at' },
    issued_time: { type: 'time', column: 'issued_at' },
    expires_time: { type: 'time', column: 'expires_at' },
  },
  fields: fieldsOf(credential),
  present: (row) => ({
    kind: 'Credential',
    id: row.id,
    ...(row.account_id !== null && { cluster_id: row.account_id }),
    registry_id: row.registry_id,
    username: row.username,
    generation: row.generation,
    state: row.state,
    ...(row.rotation_id !== null && { rotation_id: row.rotation_id }),
    ...times({ created_time: row.created_at, issued_time: row.issued_at, expires_time: row.expires_at }),
  }),
}

interface ClusterListRow extends Record<string, unknown> {
  cluster_id: string
  cloud_provider: string
  region: string
  external_resource_id: string | null
  owner: string | null
  generation: number
  phase: string | null
  deleting_at: Date | null
  last_rotated_at: Date | null
  created_at: Date
  updated_at: Date
}

export const clusterListing: Listing<ClusterListRow> = {
  kind: 'PullSecretClusterList',
  path: `${base}/clusters`,
  table: 'pull_secret_clusters',
  idColumn: 'cluster_id',
  idType: 'text',
  select: `cluster_id, cloud_provider, region, external_resource_id, owner, generation, deleting_at, last_rotated_at,
    created_at, updated_at,
    (SELECT phase FROM cluster_suspensions AS s WHERE s.cluster_id = pull_secret_clusters.cluster_id) AS phase`,
  orders: {
    created_time: { column: 'created_at', type: 'timestamptz' },
    cluster_id: { column: 'cluster_id', type: 'text' },
  },
  searched: {
    cluster_id: { type: 'text', column: 'cluster_id' },
    cloud_provider: { type: 'text', column: 'cloud_provider' },
    region: { type: 'text', column: 'region' },
    owner: { type: 'text', column: 'owner' },
    external_resource_id: { type: 'text', column: 'external_resource_id' },
    created_time: { type: 'time', column: 'created_at' },
  },
  fields: fieldsOf(cluster),
  present: (row) => ({
    kind: 'PullSecretCluster',
    id: row.cluster_id,
    href: secretPath(row.cluster_id),
    cluster_id: row.cluster_id,
    cloud_provider: row.cloud_provider,
    region: row.region,
    ...(row.external_resource_id !== null && { external_resource_id: row.external_resource_id }),
    ...(row.owner !== null && { owner: row.owner }),
    state: row.deleting_at ? 'deleting' : (row.phase ?? 'active'),
    generation: row.generation,
    ...times({ last_rotated_time: row.last_rotated_at, created_time: row.created_at, updated_time: row.updated_at }),
  }),
}
