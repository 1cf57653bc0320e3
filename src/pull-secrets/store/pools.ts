import pg from 'pg'
import type { Log } from '../../core/log.ts'
import { translated } from './trouble.ts'

const { Pool } = pg

export interface PoolOptions {
  url: string
  log: Log
  name: 'data' | 'locks'
  max: number
  /** For the answer to one statement. */
  answerMs: number
  /** For a new connection, and for a free one. */
  connectMs: number
  /** Of every connection, by its start. */
  settings: Readonly<Record<string, string | number>>
}

/** Where to connect, and whether what stands there hands out its connections a transaction at a time. */
export interface Place {
  url: string
  isPooler: boolean
}

/**
 * PgBouncer in transaction mode is declared in the URL by `pgbouncer=true`, as others do: a client cannot find it out.
 * Behind it a connection has no settings of its own and no statement keeps its name.
 */
export function placeOf(url: string): Place {
  const [place = '', query] = url.split('?')
  const params = new URLSearchParams(query)
  if (!params.has('pgbouncer')) return { url, isPooler: false }
  const isPooler = params.get('pgbouncer') === 'true'
  params.delete('pgbouncer')
  return { url: params.size > 0 ? `${place}?${params}` : place, isPooler }
}

export function poolOf({ url: given, log, name, max, answerMs, connectMs, settings }: PoolOptions): pg.Pool {
  const { url, isPooler } = placeOf(given)
  const pool = new Pool({
    connectionString: url,
    max,
    application_name: `lanyard ${name}`,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: 300,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    query_timeout: answerMs,
    ...(!isPooler && {
      options: Object.entries(settings)
        .map(([key, value]) => `-c ${key}=${value}`)
        .join(' '),
    }),
  })
  // A connection that ends while nothing is asked of it would end the process otherwise.
  pool.on('error', (error) => {
    // One that is being closed may still hear that its server stops.
    if (!pool.ending) log.warn({ err: error, pool: name }, 'a database connection was lost')
  })
  pool.on('connect', (client) => client.on('error', () => {}))
  return meaningful(pool, isPooler)
}

/** `pool.query` with errors that mean something, and without names where none are kept. */
function meaningful(pool: pg.Pool, isPooler: boolean): pg.Pool {
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>
  const asked = async (config: unknown, ...rest: unknown[]) => {
    const unnamed = isPooler && typeof config === 'object' ? { ...config, name: undefined } : config
    try {
      return await query(unnamed, ...rest)
    } catch (error) {
      throw translated(error)
    }
  }
  return Object.assign(pool, { query: asked })
}
