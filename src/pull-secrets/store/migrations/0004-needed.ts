import type { Kysely, Migration } from 'kysely'
import { sql } from 'kysely'

const statements = [
  `ALTER TABLE pull_secret_clusters ADD COLUMN needed_registries text[] NOT NULL DEFAULT '{}'`,
  // The starts of the last hour are counted by it, and the history is purged by it.
  'CREATE INDEX pull_secret_rotations_age ON pull_secret_rotations (created_at)',
]

export const needed: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
