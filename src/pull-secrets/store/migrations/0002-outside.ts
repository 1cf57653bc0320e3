import type { Kysely, Migration } from 'kysely'
import { sql } from 'kysely'

const statements = [
  // The first that is not published of each cluster is looked for every second.
  `CREATE INDEX event_outbox_heads ON event_outbox (channel, (coalesce(cluster_id, '')), seq) WHERE published_at IS NULL`,
  'CREATE INDEX event_outbox_published ON event_outbox (published_at) WHERE published_at IS NOT NULL',
  'CREATE INDEX processed_events_age ON processed_events (created_at)',

  `CREATE TABLE cluster_observations (
     cluster_id text PRIMARY KEY,
     generation integer NOT NULL,
     observed_at timestamptz NOT NULL DEFAULT now())`,

  'ALTER TABLE sink_deliveries ADD COLUMN served_mark text',
  'ALTER TABLE sink_deliveries ADD COLUMN revision integer NOT NULL DEFAULT 0',
  'ALTER TABLE sink_deliveries ADD COLUMN verified_at timestamptz',
  'CREATE INDEX sink_deliveries_verified ON sink_deliveries (sink, verified_at)',
]

export const outside: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
