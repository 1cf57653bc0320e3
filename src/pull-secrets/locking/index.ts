import type { PoolClient } from 'pg'
import type { Clock } from '../../core/clock.ts'
import { after, systemClock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { failures } from '../failures.ts'
import type { ClusterLock } from '../lock.ts'
import type { Database } from '../store/database.ts'
import { databaseAway, sqlState } from '../store/trouble.ts'
import { fnv1a32 } from './fnv1a.ts'
import { heartbeat } from './heartbeat.ts'
import { turns } from './turns.ts'

export interface LockOptions {
  database: Pick<Database, 'locks'>
  log: Log
  /** Default 30 000. */
  waitMs?: number
  /** Waiting for one cluster in this process, at most. Default 1 000. */
  waiters?: number
  /** Of waits and heartbeats. Default: the system's. */
  clock?: Clock
}

/** Of the lock connections: what one caller may have, and all who make something together. */
const callerShare = 0.6
const makersShare = 0.8

/** HyperFleet's name of this kind of lock. */
const space = fnv1a32('PullSecret')
const retryAfterSeconds = 5
const lockNotAvailable = '55P03'
const queryCanceled = '57014'

/**
 * A transaction-level advisory lock, because a session's would outlive its holder behind PgBouncer in transaction mode.
 * Its transaction does nothing else and stays open while the registries are called; the data is changed in others. Two
 * ids of the same number only wait for each other without need.
 *
 * In front of it stands a line a cluster in this process: however many calls wait for one cluster, one connection does.
 */
export function clusterLock(options: LockOptions): ClusterLock {
  const { database, log, waitMs = 30_000, waiters = 1_000, clock = systemClock } = options
  const lines = turns({ clock, waiters })
  const { max } = database.locks.options
  const endless = Number.POSITIVE_INFINITY
  const connections = turns({ clock, waiters: endless, places: max })
  // Whoever has one by `tryHold` may want one by `hold` as well: half of the connections are kept for those.
  const tries = turns({ clock, waiters: endless, places: Math.max(1, max >> 1) })
  // A registry that is slow without failing keeps its connections as long as it likes: whoever chooses one that is their
  // own must not keep everybody's, and to suspend or delete must not wait for what is being made.
  const ofCaller = turns({ clock, waiters: endless, places: Math.max(1, Math.ceil(max * callerShare)) })
  const ofMakers = turns({ clock, waiters: endless, places: Math.max(1, Math.floor(max * makersShare)) })
  const leftUntil = (deadline: Date) => Math.max(1, deadline.getTime() - clock.now().getTime())
  const busy = (cluster: string, cause?: unknown) => failures.PULL_BUSY({ cluster, retryAfterSeconds }, cause)

  /** Takes the lock on a connection of its own and works. Undefined: somebody else has it. */
  async function locked<T>(
    name: string,
    deadline: Date,
    how: 'wait' | 'try',
    work: (held: AbortSignal) => Promise<T>,
  ): Promise<{ value: T } | undefined> {
    // The line is here and not in the pool, whose limit is for connecting.
    using place = await connections.take('', leftUntil(deadline))
    if (!place) return undefined
    const client = await database.locks.connect().catch((error: unknown) => {
      throw databaseAway(error)
    })
    const lost = new AbortController()
    const onLoss = (error?: unknown) => lost.abort(databaseAway(error))
    const onEnd = () => onLoss()
    client.on('error', onLoss)
    client.on('end', onEnd)
    let state = 'unknown' as 'unknown' | 'open' | 'idle'
    const giveBack = async () => {
      // There is nothing to commit.
      await client.query('ROLLBACK')
      state = 'idle'
    }
    try {
      const got = await acquire(client, name, leftUntil(deadline), how)
      state = 'open'
      if (!got) return undefined
      await using _beat = heartbeat(client, clock, onLoss)
      return { value: await work(lost.signal) }
    } catch (error) {
      // Whatever the work ran into after that, the reason is here.
      throw lost.signal.aborted ? databaseAway(error) : error
    } finally {
      if (state === 'open' && !lost.signal.aborted)
        await giveBack().catch((error: unknown) => {
          log.warn({ err: error }, 'a lock could not be given back; its connection is closed')
        })
      client.off('error', onLoss)
      client.off('end', onEnd)
      // Whatever became of a connection that is closed, its lock ends with it.
      client.release(state !== 'idle')
    }
  }

  return {
    async hold(clusterId, work, by) {
      const deadline = after(clock.now(), waitMs)
      using turn = await lines.take(clusterId, waitMs)
      if (!turn) throw busy(clusterId)
      using own = by ? await ofCaller.take(by.caller, leftUntil(deadline)) : nothing
      if (!own) throw busy(clusterId)
      using share = by?.isMaking ? await ofMakers.take('', leftUntil(deadline)) : nothing
      if (!share) throw busy(clusterId)
      const done = await locked(clusterId, deadline, 'wait', work)
      if (!done) throw busy(clusterId)
      return done.value
    },
    async tryHold(name, work) {
      // Before the turn: no request shall wait for one that waits for a place.
      using place = await tries.take('', waitMs)
      if (!place) return undefined
      using turn = lines.tryTake(name)
      if (!turn) return undefined
      return (await locked(name, after(clock.now(), waitMs), 'try', work))?.value
    },
  }
}

const nothing: Disposable = { [Symbol.dispose]() {} }

/** False when somebody else has it (and, when waiting, kept it for too long). */
async function acquire(client: PoolClient, name: string, limitMs: number, how: 'wait' | 'try'): Promise<boolean> {
  const key = `${fnv1a32(name)}, ${space}`
  const got = how === 'try' ? `pg_try_advisory_xact_lock(${key})` : `pg_advisory_xact_lock(${key}) IS NOT NULL`
  try {
    // One round trip, by the simple protocol: it takes several statements and leaves nothing prepared behind.
    const text = [
      'BEGIN',
      // Idle while the registries are called, for as long as that takes.
      'SET LOCAL idle_in_transaction_session_timeout = 0',
      `SET LOCAL lock_timeout = ${Math.ceil(limitMs)}`,
      `SET LOCAL statement_timeout = ${Math.ceil(limitMs) + 1_000}`,
      // A standby gives locks as well, and nobody but itself knows of them.
      `SELECT pg_is_in_recovery() AS standby, CASE WHEN pg_is_in_recovery() THEN false ELSE ${got} END AS got`,
    ].join(';')
    const config = { text, query_timeout: limitMs + 5_000 }
    const results = (await client.query(config)) as unknown as { rows: { standby: boolean; got: boolean }[] }[]
    const row = results.at(-1)?.rows[0]
    if (row?.standby) throw databaseAway()
    return row?.got === true
  } catch (error) {
    const state = sqlState(error)
    if (state === lockNotAvailable || state === queryCanceled) return false
    throw databaseAway(error)
  }
}
