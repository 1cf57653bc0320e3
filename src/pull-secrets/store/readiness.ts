import { sql } from 'kysely'
import { checkKeys } from '../keys/records.ts'
import type { TokenVault } from '../keys/vault.ts'
import type { Database } from './database.ts'
import { abandon } from './dialect.ts'
import { databaseAway } from './trouble.ts'

/** Each throws a failure that says why the service is not ready. Registries are no part of it: theirs is not our outage. */
export const readinessChecks = (database: Pick<Database, 'db'>, vault: Pick<TokenVault, 'keyIds'>) => ({
  database: () => checkPrimary(database),
  keys: () => checkKeys(database.db, vault),
})

/** A standby answers as well, and takes nothing. */
const checkPrimary = ({ db }: Pick<Database, 'db'>): Promise<void> =>
  db.connection().execute(async (one) => {
    const { rows } = await sql<{ primary: boolean }>`SELECT NOT pg_is_in_recovery() AS primary`.execute(one)
    if (rows[0]?.primary) return
    await abandon(one)
    throw databaseAway()
  })
