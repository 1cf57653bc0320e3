/** Everything that the pull secret service writes, returns or throws, searched for tokens. */
import { inspect } from 'node:util'
import pg from 'pg'
import type { PullSecretService } from '../../src/pull-secrets/service.ts'
import { assertNoCanary } from './canary.ts'

/** Every column of every table, as text. */
export async function dumpOf(databaseUrl: string): Promise<Record<string, string>> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    )
    const dump: Record<string, string> = {}
    for (const { name } of tables) {
      const { rows } = await client.query<{ line: string }>(`SELECT t::text AS line FROM ${name} AS t`)
      dump[`table ${name}`] = rows.map(({ line }) => line).join('\n')
    }
    return dump
  } finally {
    await client.end()
  }
}

export interface Watch {
  canaries: readonly string[]
  databaseUrl: string
  logged(): string
  /** How results and errors print. */
  told: readonly string[]
  metrics: readonly string[]
}

export async function assertNothingLeaks(watch: Watch): Promise<void> {
  const sources = {
    ...(await dumpOf(watch.databaseUrl)),
    log: watch.logged(),
    'results and errors': watch.told.join('\n'),
    metrics: watch.metrics.join('\n'),
  }
  assertNoCanary(sources, watch.canaries)
}

/** The same service, with everything it returns and throws written down as it would print. */
export function overheard<T extends PullSecretService>(service: T, told: string[]): T {
  const print = (value: unknown) =>
    void told.push(inspect(value, { depth: 8, showHidden: true }), JSON.stringify(value) ?? '')
  const listening = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver)
        if (typeof value !== 'function') return value
        return async (...args: unknown[]) => {
          try {
            const result: unknown = await value.apply(target, args)
            print(result)
            return result
          } catch (error) {
            print(error)
            throw error
          }
        }
      },
    })
  const { issuing, ending, rotating, pooling } = service
  return {
    ...service,
    issuing: listening(issuing),
    ending: listening(ending),
    rotating: listening(rotating),
    pooling: listening(pooling),
  }
}
