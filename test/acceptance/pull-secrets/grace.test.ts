import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PullSettings } from '../../../src/pull-secrets/settings.ts'
import { defaultPullSettings } from '../../../src/pull-secrets/settings.ts'
import { letIn, loginsOf } from '../../support/pull-secret-logins.ts'
import type { PullSecretScene } from '../../support/pull-secret-scene.ts'
import { clusterC, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'
import type { TestScope } from '../../support/test-scope.ts'

const hosts = ['cloud.openshift.com', 'quay.io', 'registry.connect.redhat.com', 'registry.redhat.io']

async function inDual(t: TestScope, rotation: Partial<PullSettings['rotation']> = {}) {
  const settings = { rotation: { ...defaultPullSettings.rotation, ...rotation } }
  const scene = await pullSecretScene(t, { settings })
  const { pullSecret } = await scene.service.issuing.generate({ cluster: clusterC }, tester)
  const asked = await scene.service.rotating.request({ clusterId: clusterC.id, reason: 'manual' }, tester)
  await scene.tick('rotation')
  return { scene, old: loginsOf(pullSecret), id: asked.rotation.id }
}

const warnings = async ({ database }: PullSecretScene) =>
  (await database.db.selectFrom('event_outbox').select('data').where('type', '=', 'rotation.warning').execute()).map(
    ({ data }) => data['about'],
  )

test('P30a: without a confirmation the old credentials are revoked after seven days, and a day before that it is told once', async (t) => {
  const { scene, old, id } = await inDual(t)
  await scene.clock.advance('143h')
  await scene.tick('rotation')
  assert.deepEqual(await warnings(scene), [])
  await scene.clock.advance('1h')
  await scene.tick('rotation')
  await scene.clock.advance('1h')
  await scene.tick('rotation')
  assert.deepEqual(await warnings(scene), ['deadline'])
  assert.deepEqual(letIn(scene, old), hosts)

  await scene.clock.advance('22h')
  await scene.tick('rotation')
  assert.deepEqual(letIn(scene, old), hosts)
  await scene.clock.advance('1h')
  await scene.tick('rotation')
  assert.deepEqual(letIn(scene, old), [])
  assert.equal((await scene.service.rotating.get(clusterC.id, id)).status, 'completed')
  assert.deepEqual(await warnings(scene), ['deadline'])
  const fresh = await scene.service.issuing.read(clusterC.id, tester)
  assert.deepEqual(letIn(scene, loginsOf(fresh)), hosts)
})

test('P30b: held, the old credentials stay after the deadline, which is told once, and go when it is confirmed', async (t) => {
  const { scene, old, id } = await inDual(t, { onGraceExpiry: 'hold' })
  for (const wait of ['7d', '1h', '3d', '30d']) {
    await scene.clock.advance(wait)
    await scene.tick('rotation')
    await scene.tick('expiry')
    assert.deepEqual(letIn(scene, old), hosts)
  }
  assert.deepEqual(await warnings(scene), ['held'])
  assert.equal((await scene.service.rotating.get(clusterC.id, id)).phase, 'dual')

  await scene.service.rotating.confirm(clusterC.id, id, tester)
  await scene.tick('rotation')
  assert.deepEqual(letIn(scene, old), [])
  assert.equal((await scene.service.rotating.get(clusterC.id, id)).status, 'completed')
})

test('P30: past seven days without confirmation the old are revoked by default, or kept with a warning where that is set', async (t) => {
  const revoked = await inDual(t)
  const held = await inDual(t, { onGraceExpiry: 'hold' })
  for (const { scene } of [revoked, held]) {
    await scene.clock.advance('7d')
    await scene.tick('rotation')
  }
  assert.deepEqual(letIn(revoked.scene, revoked.old), [])
  assert.deepEqual(letIn(held.scene, held.old), hosts)
  assert.deepEqual(await warnings(held.scene), ['held'])
})

test('the dual phase serves the new set to whoever asks, and generates nothing', async (t) => {
  const { scene, old } = await inDual(t)
  const calls = scene.quay.calls.length + scene.redhat.calls.length
  const { pullSecret, created } = await scene.service.issuing.generate({ cluster: clusterC }, tester)
  assert.equal(created, false)
  assert.equal(scene.quay.calls.length + scene.redhat.calls.length, calls)
  const oldAuths = old.map(({ auth }) => auth)
  assert.ok(loginsOf(pullSecret).every(({ auth }) => !oldAuths.includes(auth)))
})
