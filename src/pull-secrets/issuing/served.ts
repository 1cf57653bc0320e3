import { hash } from 'node:crypto'
import type { CredentialRow } from '../accounts/index.ts'
import type { Actor } from '../actor.ts'
import type { PullDeps } from '../deps.ts'
import { documentOf } from '../document.ts'
import { failures } from '../failures.ts'
import type { RegistryEntry } from '../registries/entry.ts'
import type { CredentialView, PullSecret } from '../service.ts'
import { reading } from '../store/database.ts'
import type { SuspensionTable } from '../store/tables.ts'
import { currentOf } from './current.ts'
import { gather } from './gather.ts'
import { readAudit } from './read-audit.ts'
import { readGenerations, readServed } from './statements.ts'
import type { Needs } from './whole.ts'
import { isWhole, neededOf } from './whole.ts'

type CurrentRow = Pick<
  CredentialRow,
  | 'id'
  | 'registry_id'
  | 'username'
  | 'token'
  | 'hyperfleet_instance_id'
  | 'generation'
  | 'state'
  | 'created_at'
  | 'issued_at'
  | 'expires_at'
>

interface ClusterPart extends Needs {
  cluster_id: string
  cluster_created_at: Date
  last_rotated_at: Date | null
  deleting_at: Date | null
  suspension: SuspensionTable['phase'] | null
  cloud_provider: string
  region: string
  external_resource_id: string | null
  owner: string | null
}

/** A cluster without credentials has one row of nulls. */
type ServedRow = ClusterPart & { [Column in keyof CurrentRow]: CurrentRow[Column] | null }

export interface Served {
  cluster: ClusterPart
  pullSecret: PullSecret
}

/** What is on record of a cluster, as far as it is complete. */
export interface Look {
  sources: readonly RegistryEntry[]
  /** Without one of these there is no document. Default: what the cluster's had to have so far. */
  needed?: readonly RegistryEntry[]
}

/** More at once would leave less for others, and bring no more. */
const gathering = { atOnce: 4, most: 100 }

export function serving(deps: PullDeps) {
  const { database, registries, vault } = deps
  const audit = readAudit(deps)

  const rowsOf = gather(gathering, async (clusters: readonly string[]) => {
    const values = [clusters]
    const { rows } = await reading(() => database.data.query<ServedRow>({ ...readServed, values }))
    const byCluster = Map.groupBy(rows, (row) => row.cluster_id)
    return clusters.map((cluster) => byCluster.get(cluster) ?? [])
  })

  const hosts = Map.groupBy(registries.entries, (entry) => entry.credentialSource ?? entry.id)
  const hostsOf = (sourceId: string): readonly string[] => hosts.get(sourceId)?.map(({ host }) => host) ?? []

  /** Undefined: nothing is served, or not all that is needed. Throws when the cluster is suspended. */
  async function read(clusterId: string, { sources, needed }: Look, actor: Actor): Promise<Served | undefined> {
    const rows = await rowsOf(clusterId)
    const cluster = rows[0]
    if (!cluster) return undefined
    if (cluster.suspension) throw failures.PULL_SUSPENDED({ cluster: clusterId })
    const current = currentOf(rows.filter(isCredential), sources)
    if (cluster.deleting_at || !isWhole(cluster, current, needed ?? neededOf(cluster, sources))) return undefined
    await audit(current.map((row) => ({ clusterId, credentialId: row.id, registryId: row.registry_id, actor })))
    const logins = current.map((row) => ({ ...openedLogin(row), hosts: hostsOf(row.registry_id) }))
    return {
      cluster,
      pullSecret: {
        clusterId,
        document: documentOf(logins),
        credentials: current.map(viewOf),
        generation: cluster.cluster_generation,
        etag: etagOf(current),
        createdAt: cluster.cluster_created_at,
        ...(cluster.last_rotated_at && { lastRotatedAt: cluster.last_rotated_at }),
      },
    }
  }

  function openedLogin(row: CurrentRow) {
    if (!row.token) throw failures.PULL_TOKEN_UNREADABLE({ credential: row.id })
    const owner = { credentialId: row.id, registryId: row.registry_id, instanceId: row.hyperfleet_instance_id }
    return { username: row.username, token: vault.open(owner, row.token) }
  }

  async function etag(clusterId: string, sources: readonly RegistryEntry[]): Promise<string | undefined> {
    const values = [[clusterId]]
    const { rows } = await reading(() => database.data.query<ServedRow>({ ...readGenerations, values }))
    const cluster = rows[0]
    if (!cluster || cluster.suspension || cluster.deleting_at) return undefined
    const current = currentOf(rows.filter(isCredential), sources)
    return isWhole(cluster, current, neededOf(cluster, sources)) ? etagOf(current) : undefined
  }

  /** Not of the document: a hash of secrets is better not handed around. The hosts are the configuration's. */
  function etagOf(current: readonly Pick<CurrentRow, 'id' | 'registry_id' | 'generation'>[]): string {
    const parts = current.map((row) => [row.registry_id, row.id, row.generation, ...hostsOf(row.registry_id)].join(' '))
    return hash('sha256', parts.sort().join('\n')).slice(0, 32)
  }

  return { read, etag }
}

const isCredential = (row: ServedRow): row is ClusterPart & CurrentRow => row.id !== null

const viewOf = (row: CurrentRow): CredentialView => ({
  id: row.id,
  registryId: row.registry_id,
  username: row.username,
  generation: row.generation,
  state: row.state,
  createdAt: row.created_at,
  ...(row.issued_at && { issuedAt: row.issued_at }),
  ...(row.expires_at && { expiresAt: row.expires_at }),
})
