/** The credentials of the clusters as the ledger knows them. */
import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import { sleep } from '../core/clock.ts'
import type { Pass, Passes } from '../core/pass.ts'
import type { Reason } from '../core/reason.ts'
import { reasons } from '../core/reasons.ts'
import type { PullDeps } from './deps.ts'
import { dueAt } from './rotation/due.ts'
import type { CredentialState, CredentialTable, Db } from './store/tables.ts'

type PassDeps = Pick<PullDeps, 'database' | 'clock' | 'settings'> & {
  /** Between two looks for changes. Default 5 000. */
  everyMs?: number
}

/** Those that let somebody in, or may. */
const live = ['staged', 'active', 'superseded', 'revoking'] as const satisfies readonly CredentialState[]
const page = 500

/** How far back each look goes again: a transaction that began earlier may be seen later. */
const overlapMs = 60_000

type LiveRow = Pick<
  Selectable<CredentialTable>,
  'id' | 'account_id' | 'registry_id' | 'state' | 'generation' | 'issued_at' | 'expires_at' | 'created_at'
> & { policy_days: number | null }

/**
 * Read from the database each time: nothing is kept here, however large the fleet. Changes are found in the audit log,
 * in which every turn of a credential's life is written down, by looking at its end again and again: LISTEN does not work
 * through PgBouncer in transaction mode.
 */
export function pullPasses({ database: { db }, clock, settings, everyMs = 5_000 }: PassDeps): Passes {
  const passOf = (row: LiveRow) => describe(row, settings.rotation, clock.now())
  return {
    async *list() {
      let after: string | undefined
      do {
        const rows: LiveRow[] = await liveRows(db)
          .$if(after !== undefined, (query) => query.where('c.id', '>', after as string))
          .orderBy('c.id')
          .limit(page)
          .execute()
        yield* rows.map(passOf)
        after = rows.length < page ? undefined : rows.at(-1)?.id
      } while (after !== undefined)
    },

    changes(signal) {
      // Asked here and not at the first `next`: whoever lists after this call must not miss what happens in between.
      const beginning = databaseNow(db)
      beginning.catch(() => {})
      return (async function* () {
        let since = new Date((await beginning).getTime() - overlapMs)
        let seen = new Set<string>()
        while (!signal.aborted) {
          const turns = await turnsSince(db, since)
          const fresh = turns.filter(({ id }) => !seen.has(id))
          yield* await passesOf(db, fresh, passOf)
          const last = turns.at(-1)?.created_at
          seen = new Set(turns.map(({ id }) => id))
          if (last) since = new Date(Math.max(since.getTime(), last.getTime() - overlapMs))
          await sleep(clock, everyMs, signal).catch(() => {})
        }
      })()
    },
  }
}

const databaseNow = async (db: Db): Promise<Date> => {
  const { now } = await db.selectNoFrom((select) => select.fn<Date>('now', []).as('now')).executeTakeFirstOrThrow()
  return now
}

interface Turn {
  id: string
  credential_id: string
  cluster_id: string | null
  registry_id: string | null
  created_at: Date
}

const turnsSince = async (db: Db, since: Date): Promise<Turn[]> =>
  (await db
    .selectFrom('credential_audit_log')
    .select(['id', 'credential_id', 'cluster_id', 'registry_id', 'created_at'])
    .where('created_at', '>=', since)
    .where('credential_id', 'is not', null)
    .where('action', 'not in', ['read', 'reencrypt'])
    .orderBy('created_at')
    .execute()) as Turn[]

/** One a credential, as it is now. */
async function passesOf(db: Db, turns: readonly Turn[], passOf: (row: LiveRow) => Pass): Promise<Pass[]> {
  const last = new Map(turns.map((turn) => [turn.credential_id, turn]))
  if (last.size === 0) return []
  const rows = await liveRows(db)
    .where('c.id', 'in', [...last.keys()])
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return [...last].map(([id, turn]) => {
    const row = byId.get(id)
    return row ? passOf(row) : gone(turn)
  })
}

const liveRows = (db: Db) =>
  db
    .selectFrom('registry_credentials as c')
    .leftJoin('pull_secret_clusters as p', 'p.cluster_id', 'c.account_id')
    .select([
      'c.id',
      'c.account_id',
      'c.registry_id',
      'c.state',
      'c.generation',
      'c.issued_at',
      'c.expires_at',
      'c.created_at',
      'p.policy_days',
    ])
    .where('c.state', 'in', live)

/** Of one that waits for a cluster. */
const poolHolder = 'pool'

function describe(row: LiveRow, { policyDays, jitter }: { policyDays: number; jitter: number }, now: Date): Pass {
  const issuedAt = row.issued_at ?? row.created_at
  const aging = { clusterId: row.account_id ?? '', issuedAt, ...(row.expires_at && { expiresAt: row.expires_at }) }
  const isRenewed = row.state === 'active' && row.account_id !== null
  return {
    ...named(row.id, row.account_id, row.registry_id),
    issuedAt,
    ...(row.expires_at && { expiresAt: row.expires_at }),
    ...(isRenewed && { renewAt: dueAt(aging, { policyDays: row.policy_days ?? policyDays, jitter }) }),
    // Each generation has a token of its own, whatever key seals it.
    fingerprint: createHash('sha256').update(`${row.id}/${row.generation}`).digest('hex'),
    state: stateOf(row, now),
  }
}

const named = (id: string, clusterId: string | null, registryId: string) => ({
  id: `pull/${id}`,
  kind: 'pull' as const,
  holder: clusterId ?? poolHolder,
  issuer: registryId,
  keptIn: `postgres/registry_credentials/${id}`,
})

function stateOf({ state, expires_at }: LiveRow, now: Date): Reason {
  if (state === 'revoking') return reasons.PassRevoked
  return expires_at && expires_at <= now ? reasons.PassExpired : reasons.PassIssued
}

/** The last that is told of it: suspended or removed, it lets nobody in any more. */
const gone = ({ credential_id, cluster_id, registry_id, created_at }: Turn): Pass => ({
  ...named(credential_id, cluster_id, registry_id ?? ''),
  issuedAt: created_at,
  expiresAt: created_at,
  fingerprint: '',
  state: reasons.PassRevoked,
})
