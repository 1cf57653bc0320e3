import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PoolSettings } from '../../../src/pull-secrets/settings.ts'
import { letIn, loginsOf } from '../../support/pull-secret-logins.ts'
import type { PullSecretScene } from '../../support/pull-secret-scene.ts'
import { clusterC, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'
import type { TestScope } from '../../support/test-scope.ts'

const standard: PoolSettings = { high: 100, low: 25, batch: 20, maxIdleDays: 30 }
const pooled = (t: TestScope, pool: Partial<PoolSettings> = {}) =>
  pullSecretScene(t, { settings: { pool: { ...standard, ...pool } } })

const sizes = async ({ service }: Pick<PullSecretScene, 'service'>) =>
  Object.fromEntries((await service.pooling.list()).map(({ registryId, size }) => [registryId, size]))

const creates = ({ quay, redhat }: PullSecretScene) => [
  quay.calls.filter(({ method, path }) => method === 'PUT' && path.includes('/robots/')).length,
  redhat.calls.filter(({ method }) => method === 'POST').length,
]

test('P42: the pool grows by a batch a tick, never above its high mark, and aliases have none', async (t) => {
  const scene = await pooled(t)
  for (let tick = 1; tick <= 3; tick++) {
    await scene.tick('pool')
    assert.ok(Math.max(...creates(scene)) <= 20 * tick)
  }
  assert.deepEqual(creates(scene), [60, 60])
  assert.deepEqual(await sizes(scene), { quay: 60, redhat: 60 })
  assert.ok(scene.quay.accounts().every(({ name }) => /^hyperfleet_multi_global_[0-9a-f]{16}$/.test(name)))
  assert.ok(scene.redhat.accounts().every(({ name }) => /^hyp-pool-[0-9a-f-]{36}$/.test(name)))
  await assert.rejects(scene.service.pooling.fill('cloud-openshift', tester), { code: 'PULL_NO_REGISTRY' })

  // Two processes, and a person besides.
  const other = await scene.pod()
  for (let tick = 0; tick < 3; tick++) {
    await Promise.all([scene.tick('pool'), other.tick('pool'), scene.service.pooling.fill('quay', tester)])
    assert.ok(Math.max(...Object.values(await sizes(scene))) <= 100)
  }
  assert.deepEqual(await sizes(scene), { quay: 100, redhat: 100 })
  await scene.tick('pool')
  assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [100, 100])
})

const lowEvents = async ({ database }: PullSecretScene) =>
  (await database.db.selectFrom('event_outbox').select('data').where('type', '=', 'pool.low').execute()).map(
    ({ data }) => `${data['registry_id']} ${data['size']}`,
  )

test('P43: a pool below its low mark is told once, until it has recovered', async (t) => {
  const scene = await pooled(t, { high: 25 })
  // Empty at first, which is low as well.
  await scene.tick('pool')
  await scene.tick('pool')
  assert.deepEqual(await sizes(scene), { quay: 25, redhat: 25 })
  await scene.database.db.deleteFrom('event_outbox').execute()

  scene.quay.fail({ method: 'PUT', times: Number.POSITIVE_INFINITY, do: { answer: 503 } })
  scene.redhat.fail({ method: 'POST', times: Number.POSITIVE_INFINITY, do: { answer: 503 } })
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  assert.deepEqual(await sizes(scene), { quay: 24, redhat: 24 })
  for (let tick = 0; tick < 3; tick++) await scene.tick('pool')
  assert.deepEqual((await lowEvents(scene)).sort(), ['quay 24', 'redhat 24'])
  assert.ok((await scene.service.pooling.list()).every(({ isLow }) => isLow))
  const text = await scene.metrics.text()
  assert.match(text, /lanyard_pull_pool_low_state\{registry="quay"\} 1/)
  assert.match(text, /lanyard_pull_pool_low_total\{registry="quay"\} 2/)
  assert.match(text, /lanyard_pull_pool_items\{registry="redhat"\} 24/)
})

test('P44: of 50 clusters at once 30 are served from a pool of 30, each by its own, and 20 get new ones', async (t) => {
  const scene = await pooled(t, { high: 30, low: 5, batch: 30 })
  await scene.tick('pool')
  assert.deepEqual(await sizes(scene), { quay: 30, redhat: 30 })
  const made = creates(scene)
  const clusters = Array.from({ length: 50 }, (_, at) => ({ ...clusterC, id: `cls-${at}` }))
  // Two processes, each cluster at one of them.
  const pods = [scene, await scene.pod()]
  const answers = await Promise.all(
    clusters.map((cluster, at) => (pods[at % 2] ?? scene).service.issuing.generate({ cluster }, tester)),
  )

  const quayLogins = answers.map(({ pullSecret }) => loginsOf(pullSecret).find(({ host }) => host === 'quay.io'))
  assert.equal(new Set(quayLogins.map((login) => login?.username)).size, 50)
  for (const { pullSecret } of answers) assert.equal(letIn(scene, loginsOf(pullSecret)).length, 4)
  assert.deepEqual(
    creates(scene).map((count, at) => count - (made[at] ?? 0)),
    [20, 20],
  )
  assert.deepEqual(await sizes(scene), { quay: 0, redhat: 0 })
  assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [50, 50])
  const texts = await Promise.all(pods.map(({ metrics }) => metrics.text()))
  const assignments = (result: string) =>
    texts.map((text) => Number(text.match(`lanyard_pull_pool_assign_total\\{result="${result}"\\} (\\d+)`)?.[1] ?? 0))
  assert.equal(
    assignments('hit').reduce((sum, count) => sum + count),
    60,
  )
  assert.equal(
    assignments('miss').reduce((sum, count) => sum + count),
    40,
  )
  assert.ok(assignments('hit').every((count) => count > 0))
  const { db } = scene.database
  const assigned = await db
    .selectFrom('credential_audit_log')
    .select('credential_id')
    .where('action', '=', 'assign')
    .execute()
  assert.equal(new Set(assigned.map(({ credential_id }) => credential_id)).size, 60)
})

test('P45: a pooled credential that waited too long is revoked and never assigned', async (t) => {
  const scene = await pooled(t, { high: 3, low: 1 })
  await scene.tick('pool')
  const old = scene.quay.accounts().map(({ name }) => name)
  await scene.clock.advance('31d')
  // Before the loop has seen it.
  const { pullSecret } = await scene.service.issuing.generate({ cluster: clusterC }, tester)
  const login = loginsOf(pullSecret).find(({ host }) => host === 'quay.io')
  assert.ok(old.every((name) => !login?.username.endsWith(name)))
  assert.match(login?.username ?? '', /\+hyperfleet_gcp_useast1_/)

  await scene.tick('pool')
  const names = scene.quay.accounts().map(({ name }) => name)
  assert.ok(old.every((name) => !names.includes(name)))
  const revoked = await scene.database.db
    .selectFrom('credential_audit_log')
    .select('actor')
    .where('action', '=', 'delete')
    .execute()
  assert.deepEqual(
    revoked.map(({ actor }) => actor),
    Array.from({ length: 6 }, () => 'lanyard:pool'),
  )
})

test('the oldest is given first, and to its cluster it is like any other', async (t) => {
  const scene = await pooled(t, { high: 2, low: 0 })
  await scene.tick('pool')
  const { db } = scene.database
  const [first] = await db
    .selectFrom('registry_credentials')
    .select('username')
    .where('registry_id', '=', 'redhat')
    .orderBy('issued_at')
    .execute()
  const cluster = { ...clusterC, externalResourceId: 'external-1' }
  const { pullSecret, created } = await scene.service.issuing.generate({ cluster }, tester)
  assert.equal(created, true)
  assert.equal(loginsOf(pullSecret).find(({ host }) => host === 'registry.redhat.io')?.username, first?.username)
  const rows = await db.selectFrom('registry_credentials').selectAll().where('account_id', '=', clusterC.id).execute()
  assert.deepEqual(
    rows.map(({ state, generation, external_resource_id }) => [state, generation, external_resource_id]),
    [
      ['active', 0, 'external-1'],
      ['active', 0, 'external-1'],
    ],
  )

  // A rotation leaves the pool's names, and what a cluster has seen never returns.
  await scene.service.rotating.request({ clusterId: clusterC.id, reason: 'compromise' }, tester)
  await scene.tick('rotation')
  assert.deepEqual(await sizes(scene), { quay: 1, redhat: 1 })
  assert.ok(scene.redhat.accounts().some(({ name }) => name.startsWith('hyp-cls-external-1')))
})

test('a lower high mark drains the oldest, and no settings mean no pool', async (t) => {
  const scene = await pooled(t, { high: 6, low: 1 })
  await scene.tick('pool')
  const before = await scene.database.db
    .selectFrom('registry_credentials')
    .select('external_name')
    .where('registry_id', '=', 'quay')
    .orderBy('issued_at')
    .execute()
  const smaller = await scene.pod({ settings: { pool: { ...standard, high: 4, low: 1 } } })
  await smaller.tick('pool')
  assert.deepEqual(
    scene.quay.accounts().map(({ name }) => name),
    before.slice(2).map(({ external_name }) => external_name),
  )

  const without = await scene.pod({ settings: {} })
  await without.tick('pool')
  assert.deepEqual(await without.service.pooling.list(), [])
  assert.equal((await without.service.pooling.fill('quay', tester)).high, 0)
  await without.service.issuing.generate({ cluster: clusterC }, tester)
  assert.deepEqual(await sizes(scene), { quay: 4, redhat: 4 })
})

test('a registry that fails is left alone until the next tick, and the other is filled', async (t) => {
  const scene = await pooled(t)
  scene.redhat.fail({ method: 'POST', times: Number.POSITIVE_INFINITY, do: { answer: 401 } })
  const before = scene.redhat.calls.length
  await scene.tick('pool')
  assert.deepEqual(await sizes(scene), { quay: 20, redhat: 0 })
  assert.ok(scene.redhat.calls.length - before < 10)
})
