import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { Tables } from '../store/tables.ts'
import type { PullSecretApiDeps } from './deps.ts'
import { operatorRoutes } from './operator-routes.ts'

/** A database whose connections never become free. */
function silent() {
  let taken = 0
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createDriver: () => ({
        init: async () => {},
        acquireConnection: () => {
          taken += 1
          return new Promise(() => {})
        },
        beginTransaction: async () => {},
        commitTransaction: async () => {},
        rollbackTransaction: async () => {},
        releaseConnection: async () => {},
        destroy: async () => {},
      }),
    },
  })
  return { db, taken: () => taken }
}

test('lists take three connections of the database and no more, and one caller takes one of them', async () => {
  const { db, taken } = silent()
  const clock = new FakeClock()
  const routes = operatorRoutes({ database: { db } } as unknown as PullSecretApiDeps, clock)
  const ends: string[] = []
  const list = (name: string, operation: string) => {
    const route = routes.find(({ operationId }) => operationId === operation)
    const caller = { name, kind: 'jwt', claims: {}, traceId: '', traceparent: '' } as const
    const asked = { query: { page: 1, size: 20 }, caller, params: {}, body: undefined, headers: {} }
    route
      ?.handle({ ...asked, signal: new AbortController().signal })
      .catch((error: { code?: string }) => ends.push(`${name} ${error.code}`))
  }
  for (let n = 0; n < 20; n++) list('greedy', n % 2 ? 'listClusters' : 'listCredentials')
  await eventually('one is read', () => taken() === 1)
  for (const name of ['a', 'b', 'c']) list(name, 'listClusters')
  await eventually('three are read', () => taken() === 3)
  await clock.settle()
  assert.equal(taken(), 3)
  await clock.advance('10s')
  await eventually('who waits for too long is told', () => ends.length === 20)
  assert.deepEqual([...new Set(ends)].sort(), ['c PULL_LISTS_BUSY', 'greedy PULL_LISTS_BUSY'])
})
