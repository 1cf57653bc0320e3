import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PullSettings } from '../../../src/pull-secrets/settings.ts'
import { defaultPullSettings } from '../../../src/pull-secrets/settings.ts'
import type { PullSecretScene } from '../../support/pull-secret-scene.ts'
import { clusterC, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'
import { seedClusters } from '../../support/pull-secret-seed.ts'

const dayMs = 86_400_000

const withPolicy = (rotation: Partial<PullSettings['rotation']>) => ({
  settings: { rotation: { ...defaultPullSettings.rotation, ...rotation } },
})

/** Moves the clock to when the credentials of the cluster are so old. */
async function atAge({ database, clock }: PullSecretScene, days: number, clusterId = clusterC.id): Promise<void> {
  const { issued_at } = await database.db
    .selectFrom('registry_credentials')
    .select('issued_at')
    .where('account_id', '=', clusterId)
    .where('state', '=', 'active')
    .orderBy('issued_at')
    .executeTakeFirstOrThrow()
  await clock.jumpTo(new Date((issued_at as Date).getTime() + days * dayMs))
}

const rotations = ({ database }: PullSecretScene) =>
  database.db.selectFrom('pull_secret_rotations').selectAll().orderBy('created_at').execute()

for (const policyDays of [90, 60]) {
  const ages = `${policyDays - 1} days is not rotated, at ${policyDays} days it is`
  test(`P34: with a policy of ${policyDays} days a credential of ${ages}, and a suspended cluster never`, async (t) => {
    const scene = await pullSecretScene(t, withPolicy({ policyDays }))
    // Whatever their ids make of the spread.
    const ids = [clusterC.id, 'cls-a', 'cls-b', 'cls-c', 'cls-d', 'suspended']
    for (const id of ids) await scene.service.issuing.generate({ cluster: { ...clusterC, id } }, tester)
    await scene.service.ending.suspend('suspended', 'a test', tester)

    await atAge(scene, policyDays - 1)
    await scene.tick('schedule')
    assert.deepEqual(await rotations(scene), [])
    // The others were made a moment later.
    await atAge(scene, policyDays, 'cls-d')
    await scene.tick('schedule')
    const started = await rotations(scene)
    assert.deepEqual(started.map((one) => one.cluster_id).sort(), ids.slice(0, -1).sort())
    assert.ok(started.every((one) => one.reason === 'scheduled' && one.status === 'pending'))
    assert.ok(started.every((one) => one.policy_days === policyDays))

    await scene.tick('schedule')
    assert.equal((await rotations(scene)).length, ids.length - 1)
    await scene.clock.advance('365d')
    await scene.tick('schedule')
    assert.ok((await rotations(scene)).every((one) => one.cluster_id !== 'suspended'))
  })
}

test("the policy of a cluster comes before the installation's", async (t) => {
  const scene = await pullSecretScene(t)
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  await scene.database.db.updateTable('pull_secret_clusters').set({ policy_days: 60 }).execute()
  await atAge(scene, 59)
  await scene.tick('schedule')
  assert.equal((await rotations(scene)).length, 0)
  await atAge(scene, 60)
  await scene.tick('schedule')
  assert.equal((await rotations(scene)).length, 1)
})

test('a cluster on its way out is not rotated, and one that was rotated by hand waits for its new age', async (t) => {
  const scene = await pullSecretScene(t)
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  await scene.database.db.updateTable('pull_secret_clusters').set({ deleting_at: scene.clock.now() }).execute()
  await atAge(scene, 91)
  await scene.tick('schedule')
  assert.equal((await rotations(scene)).length, 0)

  await scene.database.db.updateTable('pull_secret_clusters').set({ deleting_at: null }).execute()
  await scene.service.rotating.request({ clusterId: clusterC.id, reason: 'compromise' }, tester)
  await scene.tick('rotation')
  // Issued by the clock of the database, which has not moved.
  await scene.database.db
    .updateTable('registry_credentials')
    .set({ issued_at: scene.clock.now() })
    .where('state', '=', 'active')
    .execute()
  await scene.clock.advance('89d')
  await scene.tick('schedule')
  assert.equal((await rotations(scene)).length, 1)
  await scene.clock.advance('1d')
  await scene.tick('schedule')
  assert.equal((await rotations(scene)).length, 2)
})

test('a credential that ends by itself is replaced at two thirds of its life, and only that one', async (t) => {
  const scene = await pullSecretScene(t)
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  const { db } = scene.database
  const expires_at = new Date(scene.clock.now().getTime() + 30 * dayMs)
  await db.updateTable('registry_credentials').set({ expires_at }).where('registry_id', '=', 'redhat').execute()
  await atAge(scene, 18)
  await scene.tick('schedule')
  assert.equal((await rotations(scene)).length, 0)
  await atAge(scene, 20)
  await scene.tick('schedule')
  await scene.tick('rotation')
  const [started] = await rotations(scene)
  assert.deepEqual([started?.registries, started?.phase], [['redhat'], 'dual'])
  assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [1, 2])
})

test('no more scheduled rotations start in an hour than the settings allow, the longest overdue first', async (t) => {
  const scene = await pullSecretScene(t, withPolicy({ maxPerHour: 3 }))
  await seedClusters(scene, 10, { withinMs: 1_000 })
  await scene.clock.jumpTo(new Date(scene.clock.now().getTime() + 91 * dayMs))
  await scene.tick('schedule')
  await scene.tick('schedule')
  assert.equal((await rotations(scene)).length, 3)
  await scene.clock.advance('61m')
  await scene.tick('schedule')
  assert.equal((await rotations(scene)).length, 6)
})

test('a scheduled rotation that failed is not begun again for a day', async (t) => {
  const scene = await pullSecretScene(t)
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  await atAge(scene, 90)
  await scene.tick('schedule')
  const { db } = scene.database
  await db.updateTable('pull_secret_rotations').set({ status: 'failed', updated_at: scene.clock.now() }).execute()
  await scene.clock.advance('23h')
  await scene.tick('schedule')
  assert.equal((await rotations(scene)).length, 1)
  await scene.clock.advance('2h')
  await scene.tick('schedule')
  assert.equal((await rotations(scene)).length, 2)
})
