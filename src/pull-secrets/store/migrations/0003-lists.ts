import type { Kysely, Migration } from 'kysely'
import { sql } from 'kysely'

/** Each in the order that pages are read in, so that a page is read from the index whatever it is searched by. */
const statements = [
  'CREATE INDEX registry_credentials_by_state ON registry_credentials (state, created_at DESC, id DESC)',
  'CREATE INDEX registry_credentials_by_registry ON registry_credentials (registry_id, created_at DESC, id DESC)',
  'CREATE INDEX registry_credentials_username ON registry_credentials (username text_pattern_ops)',
  'CREATE INDEX pull_secret_clusters_newest ON pull_secret_clusters (created_at DESC, cluster_id DESC)',
  'CREATE INDEX pull_secret_clusters_by_owner ON pull_secret_clusters (owner, created_at DESC, cluster_id DESC)',
  `CREATE INDEX pull_secret_clusters_by_region
     ON pull_secret_clusters (cloud_provider, region, created_at DESC, cluster_id DESC)`,
]

export const lists: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
