import type { Selectable } from 'kysely'
import type { ClusterTable } from './store/tables.ts'

/** A cluster as the registries and the policy see it. */
export interface ClusterFacts {
  id: string
  /** As given, checked; `gcp`, `aws`, `azure` or a configured one. */
  cloudProvider: string
  region: string
  externalResourceId?: string
  owner?: string
}

/** Of the row on record. */
export const clusterFacts = (row: Selectable<ClusterTable>): ClusterFacts => ({
  id: row.cluster_id,
  cloudProvider: row.cloud_provider,
  region: row.region,
  ...(row.external_resource_id && { externalResourceId: row.external_resource_id }),
  ...(row.owner && { owner: row.owner }),
})
