/** What the database says beside what the registries hold: at the end, the two have to be the same. */
import pg from 'pg'
import type { StandIn } from '../../src/demo/registries/index.ts'

export interface Books {
  /** What is still on its way: nothing of it may be left before the two are compared. */
  unsettled(): Promise<string[]>
  compare(): Promise<string[]>
}

/** States in which an account outside has to let its cluster in. */
const live = ['active', 'staged', 'superseded']

export function booksOf(databaseUrl: string, standIns: Readonly<Record<string, StandIn>>): Books {
  const query = async <R extends pg.QueryResultRow>(text: string): Promise<R[]> => {
    const client = new pg.Client(databaseUrl)
    await client.connect()
    try {
      return (await client.query<R>(text)).rows
    } finally {
      await client.end()
    }
  }
  return {
    async unsettled() {
      const rows = await query<{ what: string }>(`
        SELECT 'intent ' || op || ' ' || phase || ' of ' || external_name || ': ' || coalesce(last_error, '') AS what
          FROM credential_intents WHERE phase IN ('planned', 'external_done', 'compensating')
        UNION ALL SELECT 'credential ' || state || ' of ' || external_name FROM registry_credentials
          WHERE state IN ('provisioning', 'revoking', 'staged')
        UNION ALL SELECT 'rotation ' || coalesce(phase, status) || ' of ' || cluster_id || ': ' || coalesce(last_error, '')
          FROM pull_secret_rotations WHERE status = 'pending' OR (status = 'in_progress' AND phase <> 'dual')
        UNION ALL SELECT 'suspension ' || phase || ' of ' || cluster_id FROM cluster_suspensions
          WHERE phase = 'suspending'
        UNION ALL SELECT 'deletion of ' || cluster_id FROM pull_secret_clusters WHERE deleting_at IS NOT NULL`)
      return rows.map(({ what }) => what)
    },
    async compare() {
      const rows = await query<{ registry_id: string; external_name: string; state: string }>(
        'SELECT registry_id, external_name, state FROM registry_credentials',
      )
      return Object.entries(standIns).flatMap(([registry, standIn]) => {
        const recorded = rows.filter(({ registry_id }) => registry_id === registry)
        const names = new Set(recorded.map(({ external_name }) => external_name))
        const accounts = standIn.accounts().filter(({ isLive }) => isLive)
        const alive = new Set(accounts.map(({ name }) => name))
        return [
          ...accounts.filter(({ name }) => !names.has(name)).map(({ name }) => `${registry}: ${name} has no row`),
          ...recorded
            .filter(({ state, external_name }) => live.includes(state) && !alive.has(external_name))
            .map(({ state, external_name }) => `${registry}: ${state} ${external_name} has no account`),
        ]
      })
    },
  }
}
