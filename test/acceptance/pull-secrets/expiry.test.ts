import assert from 'node:assert/strict'
import { test } from 'node:test'
import { letIn, loginsOf } from '../../support/pull-secret-logins.ts'
import type { PullSecretScene } from '../../support/pull-secret-scene.ts'
import { clusterC, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'

const hosts = ['cloud.openshift.com', 'quay.io', 'registry.connect.redhat.com', 'registry.redhat.io']

const deletions = async ({ database }: PullSecretScene) =>
  (
    await database.db
      .selectFrom('credential_audit_log')
      .select(['registry_id', 'actor'])
      .where('action', '=', 'delete')
      .orderBy('created_at')
      .execute()
  ).map(({ registry_id, actor }) => `${registry_id} by ${actor}`)

const states = async ({ database }: PullSecretScene) =>
  (
    await database.db
      .selectFrom('registry_credentials')
      .select(['registry_id', 'state'])
      .orderBy('registry_id')
      .orderBy('generation')
      .execute()
  ).map(({ registry_id, state }) => `${registry_id} ${state}`)

async function rotated(scene: PullSecretScene) {
  const { pullSecret } = await scene.service.issuing.generate({ cluster: clusterC }, tester)
  const { rotation } = await scene.service.rotating.request({ clusterId: clusterC.id, reason: 'manual' }, tester)
  await scene.tick('rotation')
  return { old: loginsOf(pullSecret), id: rotation.id }
}

/** Whichever loop comes first when the grace is over. */
async function pastGrace({ tick }: PullSecretScene) {
  await tick('rotation')
  await tick('expiry')
}

test('P70: what is past its end at the registry, or superseded and past its grace, goes outside first, then here, and is audited', async (t) => {
  const scene = await pullSecretScene(t)
  const { old, id } = await rotated(scene)
  const { db } = scene.database

  // By its own end, in the middle of the grace.
  await db
    .updateTable('registry_credentials')
    .set({ expires_at: scene.clock.now() })
    .where('registry_id', '=', 'quay')
    .where('state', '=', 'superseded')
    .execute()
  scene.quay.fail({ method: 'DELETE', times: Number.POSITIVE_INFINITY, do: { answer: 500 } })
  await scene.tick('expiry')
  assert.deepEqual(await states(scene), ['quay revoking', 'quay active', 'redhat superseded', 'redhat active'])
  assert.deepEqual(letIn(scene, old), hosts)
  assert.deepEqual(await deletions(scene), [])
  scene.quay.heal()
  await scene.clock.advance('1h')
  await scene.tick('sweep')
  assert.deepEqual(await states(scene), ['quay active', 'redhat superseded', 'redhat active'])
  assert.deepEqual(letIn(scene, old), ['registry.connect.redhat.com', 'registry.redhat.io'])
  assert.deepEqual(await deletions(scene), ['quay by lanyard:sweep'])

  // By the end of the grace: outside first, so it stays here as long as it stays there.
  await scene.clock.advance('8d')
  scene.redhat.fail({ method: 'DELETE', times: Number.POSITIVE_INFINITY, do: { answer: 500 } })
  await pastGrace(scene)
  assert.deepEqual(await states(scene), ['quay active', 'redhat revoking', 'redhat active'])
  assert.deepEqual(letIn(scene, old), ['registry.connect.redhat.com', 'registry.redhat.io'])
  assert.deepEqual(await deletions(scene), ['quay by lanyard:sweep'])
  scene.redhat.heal()
  await scene.clock.advance('1h')
  await pastGrace(scene)
  assert.deepEqual(await states(scene), ['quay active', 'redhat active'])
  assert.deepEqual(letIn(scene, old), [])
  assert.deepEqual(
    (await deletions(scene)).map((one) => one.split(' ')[0]),
    ['quay', 'redhat'],
  )
  assert.equal((await scene.service.rotating.get(clusterC.id, id)).status, 'completed')
  const served = await scene.service.issuing.read(clusterC.id, tester)
  assert.deepEqual(letIn(scene, loginsOf(served)), hosts)
})

test('one whose rotation is over, however that came about, goes as well; what is served stays, whatever its end', async (t) => {
  const scene = await pullSecretScene(t)
  const { old } = await rotated(scene)
  const { db } = scene.database
  await db.updateTable('pull_secret_rotations').set({ status: 'completed' }).execute()
  await db
    .updateTable('registry_credentials')
    .set({ expires_at: scene.clock.now() })
    .where('state', '=', 'active')
    .execute()
  await scene.tick('expiry')
  assert.deepEqual(await states(scene), ['quay active', 'redhat active'])
  assert.deepEqual(letIn(scene, old), [])
  assert.deepEqual((await deletions(scene)).sort(), ['quay by lanyard:expiry', 'redhat by lanyard:expiry'])
})

test('a superseded credential within its grace is left alone', async (t) => {
  const scene = await pullSecretScene(t)
  const { old } = await rotated(scene)
  await scene.clock.advance('6d')
  await scene.tick('expiry')
  assert.deepEqual(letIn(scene, old), hosts)
})

test('what a rotation made and could not serve goes once it is over', async (t) => {
  const scene = await pullSecretScene(t)
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  scene.redhat.fail({ method: 'POST', times: Number.POSITIVE_INFINITY, do: { answer: 503 } })
  await scene.service.rotating.request({ clusterId: clusterC.id, reason: 'manual' }, tester)
  await scene.tick('rotation')
  scene.redhat.heal()
  assert.equal(scene.quay.accounts().length, 2)
  // As if whoever cancelled it had been killed right after.
  await scene.database.db.updateTable('pull_secret_rotations').set({ status: 'cancelled' }).execute()
  await scene.tick('expiry')
  assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [1, 1])
  assert.deepEqual(await states(scene), ['quay active', 'redhat active'])
})

test('old records go: rotations after their history, keys after a day, events after a month', async (t) => {
  const scene = await pullSecretScene(t)
  const { id } = await rotated(scene)
  const { db } = scene.database
  const { rotating } = scene.service
  await rotating.confirm(clusterC.id, id, tester)
  await scene.tick('rotation')
  const keyed = await rotating.request({ clusterId: clusterC.id, reason: 'manual', idempotencyKey: 'once' }, tester)
  await db.insertInto('processed_events').values({ source: 'test', id: '1' }).execute()
  const count = async (table: 'pull_secret_rotations' | 'idempotency_keys' | 'processed_events') =>
    (await db.selectFrom(table).select('created_at').execute()).length

  await scene.clock.advance('25h')
  await scene.tick('expiry')
  assert.deepEqual(
    [await count('pull_secret_rotations'), await count('idempotency_keys'), await count('processed_events')],
    [2, 0, 1],
  )
  await scene.clock.advance('60d')
  await scene.tick('expiry')
  assert.deepEqual([await count('pull_secret_rotations'), await count('processed_events')], [2, 0])
  await scene.clock.advance('30d')
  // The open one is shown and kept, however old.
  assert.deepEqual(
    (await rotating.list(clusterC.id, { page: 1, size: 10 })).items.map((one) => one.id),
    [keyed.rotation.id],
  )
  await scene.tick('expiry')
  assert.equal(await count('pull_secret_rotations'), 1)
})
