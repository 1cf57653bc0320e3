import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { silentLog } from '../../src/core/log.ts'
import { clusterLock } from '../../src/pull-secrets/locking/index.ts'
import { migrate, openDatabase } from '../../src/pull-secrets/store/database.ts'
import { peer } from '../support/peer.ts'
import { throughPgbouncer } from '../support/pgbouncer.ts'
import { freshDatabase } from '../support/postgres.ts'
import type { Pod } from '../support/pull-secret-scene.ts'
import { clusterC, pullSecretScene, tester } from '../support/pull-secret-scene.ts'
import { teardown } from '../support/test-scope.ts'

/** A database by both ways; undefined where there is no PgBouncer. */
async function aDatabase(t: TestContext) {
  const program = peer(t, 'pgbouncer')
  if (!program) return undefined
  const direct = await freshDatabase(t)
  const watcher = openDatabase({ url: direct, log: silentLog, connections: 1 })
  teardown(t, async () => await watcher[Symbol.asyncDispose]())
  const locks = async (): Promise<number> => {
    const { rows } = await watcher.data.query(`SELECT count(*)::int AS n FROM pg_locks
      WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
    return rows[0].n
  }
  return { url: await throughPgbouncer(t, program, direct), locks }
}

test('P53: behind PgBouncer in transaction mode 100 calls over three processes make one robot, and no lock outlives its request', async (t) => {
  const database = await aDatabase(t)
  if (!database) return
  const scene = await pullSecretScene(t, { databaseUrl: database.url })
  scene.quay.latencyMs = 20
  const pods: Pod[] = [scene, await scene.pod(), await scene.pod()]
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      (pods[n % pods.length] as Pod).service.issuing.generate({ cluster: clusterC }, tester),
    ),
  )
  assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [1, 1])
  assert.equal(new Set(answers.map(({ pullSecret }) => pullSecret.document.json.reveal())).size, 1)
  assert.equal(answers.filter(({ created }) => created).length, 1)
  assert.equal(await database.locks(), 0)

  // Nor one of a request that fails, or of a loop.
  scene.quay.fail({ method: 'PUT', times: 1, do: { answer: 400, body: {} } })
  await assert.rejects(scene.service.issuing.generate({ cluster: { ...clusterC, id: 'cls-b' } }, tester))
  for (const loop of ['sweep', 'rotation', 'schedule', 'pool', 'expiry', 'reencryption'] as const)
    await scene.tick(loop)
  assert.equal(await database.locks(), 0)
})

test('behind PgBouncer the lock excludes, named statements go without a name, and migrations take turns', async (t) => {
  const found = await aDatabase(t)
  if (!found) return
  const pods = Array.from({ length: 3 }, () => {
    const database = openDatabase({ url: found.url, log: silentLog })
    teardown(t, async () => await database[Symbol.asyncDispose]())
    return { database, lock: clusterLock({ database, log: silentLog }) }
  })
  let inside = 0
  let most = 0
  const work = async () => {
    inside += 1
    most = Math.max(most, inside)
    await new Promise((resolve) => setImmediate(resolve))
    inside -= 1
  }
  await Promise.all(Array.from({ length: 30 }, (_, n) => pods[n % 3]?.lock.hold('a', work)))
  assert.equal(most, 1)
  await Promise.all(pods.map(({ database }) => migrate(database.db)))
  const named = { name: 'count', text: 'SELECT count(*)::int AS n FROM registry_credentials WHERE state = $1' }
  const counts = await Promise.all(
    Array.from({ length: 60 }, (_, n) => pods[n % 3]?.database.data.query({ ...named, values: ['active'] })),
  )
  assert.ok(counts.every((answer) => answer?.rows[0].n === 0))
  assert.equal(await found.locks(), 0)
})
