import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../../src/core/failure.ts'
import type { Access } from '../../../src/fleet/identity/index.ts'
import { pullSecretApi } from '../../../src/pull-secrets/api/index.ts'
import { restApp } from '../../../src/server/rest/index.ts'
import { never } from '../../support/never.ts'
import { apiScene, generateBody } from '../../support/pull-secret-api.ts'
import type { Pod } from '../../support/pull-secret-scene.ts'
import { clusterC, loginOf, pullSecretScene, strayAccounts, sweepAll, tester } from '../../support/pull-secret-scene.ts'
import { teardown } from '../../support/test-scope.ts'

test('P50: 100 calls at once over three processes make one robot and one account, and all get the same', async (t) => {
  const scene = await apiScene(t)
  const { quay, redhat, settings, registries } = scene
  quay.latencyMs = 20
  const another = async () => {
    const { service, database } = await scene.pod()
    const access = scene.appOptions.access as Access
    const api = pullSecretApi({ service, database, registries, settings, access, version: 'test' })
    const app = await restApp({ ...scene.appOptions, api })
    teardown(t, () => app.close())
    return app
  }
  const pods = [scene.app, await another(), await another()]
  const authorization = `Bearer ${await scene.token('adapter')}`
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      (pods[n % pods.length] as typeof scene.app).inject({
        method: 'POST',
        url: `/api/hyperfleet/v1/clusters/${clusterC.id}/pull-secrets`,
        headers: { authorization },
        payload: generateBody,
      }),
    ),
  )
  assert.deepEqual([quay.accounts().length, redhat.accounts().length], [1, 1])
  const puts = quay.calls.filter(({ method, path }) => method === 'PUT' && path.includes('/robots/'))
  assert.equal(puts.length, 1)
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [...Array(99).fill(200), 201])
  assert.equal(new Set(answers.map(({ payload }) => payload)).size, 1)
  assert.equal(new Set(answers.map(({ headers }) => headers['etag'])).size, 1)
})

test('500 calls at once in one process wait for one, and then read', async (t) => {
  const scene = await pullSecretScene(t)
  scene.redhat.latencyMs = 20
  const answers = await Promise.all(
    Array.from({ length: 500 }, () => scene.service.issuing.generate({ cluster: clusterC }, tester)),
  )
  assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [1, 1])
  assert.equal(new Set(answers.map(({ pullSecret }) => pullSecret.document.hash)).size, 1)
})

test('P51: whatever comes at once, the end is a legal state and no account is without a row', async (t) => {
  const scene = await pullSecretScene(t, { settings: { pool: { high: 2, low: 0, batch: 2, maxIdleDays: 30 } } })
  const pods: Pod[] = [scene, await scene.pod(), await scene.pod()]
  scene.quay.latencyMs = 15
  scene.redhat.latencyMs = 10
  const clusterId = clusterC.id
  const deeds: ((pod: Pod) => Promise<unknown>)[] = [
    ({ service }) => service.issuing.generate({ cluster: clusterC }, tester),
    ({ service }) => service.rotating.request({ clusterId, reason: 'manual' }, tester),
    ({ service }) => service.ending.suspend(clusterId, 'abuse', tester),
    ({ service }) => service.ending.remove(clusterId, tester),
    ({ service }) => service.ending.resume(clusterId, 'cleared', tester),
    ({ tick }) => tick('rotation'),
    ({ tick }) => tick('sweep'),
    ({ tick }) => tick('pool'),
    ({ tick }) => tick('expiry'),
    loseLocks,
    loseLocks,
  ]
  for (let round = 0; round < deeds.length; round += 1) {
    await scene.service.issuing.generate({ cluster: clusterC }, tester).catch(() => {})
    const order = deeds.map((_, n) => deeds[(n + round) % deeds.length] as (typeof deeds)[number])
    const outcomes = await Promise.allSettled(order.map((deed, n) => deed(pods[n % pods.length] as Pod)))
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.ok(isFailure(outcome.reason), String(outcome.reason))
    await sweepAll(scene)
    await scene.tick('rotation')
    await scene.tick('pool')
    await never('lost', async () => assert.deepEqual(await strayAccounts(scene), []))
    await assertLegal(scene)
  }
})

/** Whoever holds a lock goes on without it for a moment. */
const loseLocks = async ({ database }: Pod): Promise<void> => {
  await database.data.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'lanyard locks' AND state = 'idle in transaction'`,
  )
}

/** Gone, suspended, or served with credentials that work. */
async function assertLegal(scene: Awaited<ReturnType<typeof pullSecretScene>>): Promise<void> {
  const { database, service, quay, redhat } = scene
  const all = await database.db.selectFrom('registry_credentials').selectAll().execute()
  const rows = all.filter(({ account_id }) => account_id !== null)
  const pooled = all.filter(({ account_id }) => account_id === null)
  assert.ok(pooled.every(({ state }) => state === 'active'))
  const outside = () => quay.accounts().length + redhat.accounts().length - pooled.length
  const states = new Set(rows.map(({ state }) => state))
  const suspension = await database.db.selectFrom('cluster_suspensions').select('phase').executeTakeFirst()
  if (suspension) {
    assert.equal(suspension.phase, 'suspended')
    assert.ok([...states].every((state) => state === 'suspended'))
    assert.equal(outside(), 0)
    return
  }
  const cluster = await database.db.selectFrom('pull_secret_clusters').selectAll().executeTakeFirst()
  if (!cluster) {
    assert.deepEqual(rows, [])
    assert.equal(outside(), 0)
    return
  }
  assert.equal(cluster.deleting_at, null)
  assert.ok([...states].every((state) => ['active', 'superseded', 'staged'].includes(state)))
  const served = await service.issuing.read(clusterC.id, tester)
  assert.ok(quay.logsIn(...loginOf(served, 'quay.io')))
  assert.ok(redhat.logsIn(...loginOf(served, 'registry.redhat.io')))
}
