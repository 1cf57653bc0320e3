import { sql } from 'kysely'
import { loopActor } from '../actor.ts'
import type { PullDeps } from '../deps.ts'
import type { Loop } from '../loop.ts'
import { transact } from '../store/database.ts'
import { recordAudit } from '../store/record.ts'
import type { CredentialTable } from '../store/tables.ts'
import { keysInUse } from './records.ts'

type Row = Pick<CredentialTable, 'id' | 'registry_id' | 'hyperfleet_instance_id'> & { token: Buffer }

interface Resealed {
  id: string
  from: Buffer
  to: Buffer
}

/** Tokens at a time. */
const batchSize = 1_000
const actor = loopActor('reencryption')

/**
 * Seals with the active key what another one sealed, a batch a transaction. Which rows are left is in the rows: killed
 * anywhere, the next tick goes on. A row that changed meanwhile is left to the next look.
 */
export function reencryption(deps: PullDeps, size = batchSize): Loop {
  const { database, vault, lock, clock, log, metrics, checkpoint } = deps
  const { db } = database
  const moved = metrics.counter('lanyard_pull_tokens_reencrypted_total', 'Tokens sealed again with the active key')

  async function batchAfter(keyId: string, id: string | undefined): Promise<Row[]> {
    const rows = await db
      .selectFrom('registry_credentials')
      .select(['id', 'registry_id', 'hyperfleet_instance_id', 'token'])
      .where('key_id', '=', keyId)
      .$if(id !== undefined, (query) => query.where('id', '>', id as string))
      .orderBy('id')
      .limit(size)
      .execute()
    return rows as Row[]
  }

  function reseal(row: Row): Resealed[] {
    const owner = { credentialId: row.id, registryId: row.registry_id, instanceId: row.hyperfleet_instance_id }
    try {
      return [{ id: row.id, from: row.token, to: vault.seal(owner, vault.open(owner, row.token)).token }]
    } catch (error) {
      log.error({ err: error, credential: row.id }, 'a token cannot be opened and keeps its key')
      return []
    }
  }

  /** How many were moved. Compares key and token, so that what was issued meanwhile is not put back. */
  const store = (from: string, to: string, rows: Resealed[]): Promise<number> =>
    transact(db, async (tx) => {
      const { rows: changed } = await sql`
        UPDATE registry_credentials AS row SET token = new.sealed, key_id = ${to}
        FROM unnest(${rows.map((row) => row.id)}::uuid[], ${rows.map((row) => row.from)}::bytea[],
                    ${rows.map((row) => row.to)}::bytea[]) AS new (id, was, sealed)
        WHERE row.id = new.id AND row.key_id = ${from} AND row.token = new.was
        RETURNING row.id`.execute(tx)
      const reason = `${changed.length} tokens from key ${from} to key ${to}`
      if (changed.length > 0) await recordAudit(tx, clock.now(), { action: 'reencrypt', actor, reason })
      return changed.length
    })

  async function moveAll(from: string, signal: AbortSignal): Promise<void> {
    if (!vault.keyIds.has(from)) return log.error({ key: from }, 'the key ring lacks a key that seals tokens')
    let last: string | undefined
    for (;;) {
      signal.throwIfAborted()
      const to = vault.activeKeyId
      const rows = await batchAfter(from, last)
      last = rows.at(-1)?.id
      if (last === undefined || from === to) return
      const count = await store(from, to, rows.flatMap(reseal))
      moved.inc(count)
      log.info({ from, to, count }, 'tokens were sealed with the active key')
      checkpoint('pull.tokens-reencrypted')
    }
  }

  return {
    name: 'reencryption',
    everyMs: deps.settings.loops.reencryptionMs,
    async tick(signal) {
      const old = (await keysInUse(db)).filter((id) => id !== vault.activeKeyId)
      if (old.length === 0) return
      // Two would do the same work twice, and lose most of it to the comparison.
      await lock.tryHold('reencryption', async (held) => {
        for (const from of old) await moveAll(from, AbortSignal.any([signal, held]))
      })
    },
  }
}
