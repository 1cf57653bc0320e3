/** The two lookups that every cluster's adapter makes again and again, as named statements: parsed once a connection. */

/**
 * $1 the clusters. Whatever of each could be served: `currentOf` chooses, as to sort here would take the server half as
 * long again.
 */
const servable = (columns: string) => `
  SELECT c.cluster_id, c.generation AS cluster_generation, c.created_at AS cluster_created_at, c.last_rotated_at, c.deleting_at,
      c.needed_registries, c.cloud_provider, c.region, c.external_resource_id, c.owner, s.phase AS suspension, ${columns}
    FROM pull_secret_clusters c
    LEFT JOIN cluster_suspensions s ON s.cluster_id = c.cluster_id
    LEFT JOIN registry_credentials r
      ON r.account_id = c.cluster_id AND r.state IN ('active', 'superseded')
    WHERE c.cluster_id = ANY ($1::text[])`

export const readServed = {
  name: 'lanyard-read-served',
  text: servable(
    'r.id, r.registry_id, r.username, r.token, r.hyperfleet_instance_id, r.generation, r.state, r.created_at, r.issued_at, r.expires_at',
  ),
}

export const readGenerations = {
  name: 'lanyard-read-generations',
  text: servable('r.id, r.registry_id, r.generation, r.state, r.created_at'),
}
