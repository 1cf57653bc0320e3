/** Kysely on `pg`, with what its own driver lacks: errors that mean something, and connections that do not hang. */
import type {
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  Driver,
  Kysely,
  QueryCompiler,
  QueryResult,
  TransactionSettings,
} from 'kysely'
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type { Pool, PoolClient, QueryConfig } from 'pg'
import { isFailure } from '../../core/failure.ts'
import type { Db } from './tables.ts'
import { isStandby, translated } from './trouble.ts'

export interface DialectOptions {
  pool: Pool
  /** Set in every transaction: behind a pooler, what is set for a connection is set for strangers. */
  local: Readonly<Record<string, string | number>>
  /** For the answer to one statement; 0: for ever. A connection that was cut without a word would hang otherwise. */
  answerMs: number
}

export const dialect = (options: DialectOptions): Dialect => ({
  createDriver: () => new PoolDriver(options),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
})

class Connection implements DatabaseConnection {
  readonly client: PoolClient
  answerMs: number
  /** Not to be used again. */
  broken = false
  readonly #onStandby: () => void

  constructor(client: PoolClient, answerMs: number, onStandby: () => void) {
    this.client = client
    this.answerMs = answerMs
    this.#onStandby = onStandby
  }

  async run(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ command: string; rowCount: number | null; rows: [] }> {
    const config: QueryConfig & { query_timeout: number } = {
      text,
      query_timeout: this.answerMs,
      ...(values && { values: [...values] }),
    }
    try {
      return (await this.client.query(config)) as unknown as { command: string; rowCount: number; rows: [] }
    } catch (error) {
      const meaning = translated(error)
      if (isFailure(meaning)) this.broken = true
      if (isStandby(error)) this.abandon()
      throw meaning
    }
  }

  abandon(): void {
    this.broken = true
    this.#onStandby()
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.run(sql, parameters)
    const changes = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(command)
    return { rows: rows ?? [], ...(changes && { numAffectedRows: BigInt(rowCount ?? 0) }) }
  }

  // biome-ignore lint/correctness/useYield: nothing is streamed
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new TypeError('streaming is not supported')
  }
}

class PoolDriver implements Driver {
  readonly #options: DialectOptions
  readonly #bornIn = new WeakMap<PoolClient, number>()
  /** Counts the times that we were led to a standby: what was connected before is not used again. */
  #era = 0

  constructor(options: DialectOptions) {
    this.#options = options
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    for (;;) {
      const client = await this.#options.pool.connect().catch((error: unknown) => {
        throw translated(error)
      })
      const born = this.#bornIn.get(client) ?? this.#era
      this.#bornIn.set(client, born)
      if (born === this.#era) return new Connection(client, this.#options.answerMs, () => this.#era++)
      client.release(true)
    }
  }

  async beginTransaction(connection: Connection, { isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    const begin = ['BEGIN', isolationLevel && `ISOLATION LEVEL ${isolationLevel}`, accessMode].filter(Boolean).join(' ')
    const settings = Object.entries(this.#options.local).map(([name, value]) => `SET LOCAL ${name} = ${value}`)
    await connection.run([begin, ...settings].join(';'))
  }

  async commitTransaction(connection: Connection): Promise<void> {
    await connection.run('COMMIT')
  }

  async rollbackTransaction(connection: Connection): Promise<void> {
    // The reason for it would be hidden by a second error. The server rolls back what is cut off.
    if (connection.broken) return
    await connection.run('ROLLBACK').catch(() => {
      connection.broken = true
    })
  }

  async savepoint(connection: Connection, name: string, _compile: QueryCompiler['compileQuery']): Promise<void> {
    await connection.run(`SAVEPOINT "${name}"`)
  }

  async rollbackToSavepoint(connection: Connection, name: string): Promise<void> {
    await connection.run(`ROLLBACK TO SAVEPOINT "${name}"`)
  }

  async releaseSavepoint(connection: Connection, name: string): Promise<void> {
    await connection.run(`RELEASE SAVEPOINT "${name}"`)
  }

  async releaseConnection({ client, broken }: Connection): Promise<void> {
    client.release(broken)
  }

  async destroy(): Promise<void> {
    await this.#options.pool.end()
  }
}

/** Leads to a standby: it is not used again, nor is anything connected before. */
export async function abandon(one: Db): Promise<void> {
  await one.getExecutor().provideConnection(async (connection) => (connection as Connection).abandon())
}

/** Lets the statements of this transaction take as long as they do. */
export async function unhurried(tx: Db): Promise<void> {
  await tx.getExecutor().provideConnection(async (connection) => {
    await (connection as Connection).run('SET LOCAL statement_timeout = 0')
    ;(connection as Connection).answerMs = 0
  })
}
