import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecordedStatus } from '../../../src/pull-secrets/events/status.ts'
import { authsOf, letIn, loginsOf } from '../../support/pull-secret-logins.ts'
import { MemorySink, outsideOf } from '../../support/pull-secret-outside.ts'
import { clusterC, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'

const hosts = ['cloud.openshift.com', 'quay.io', 'registry.connect.redhat.com', 'registry.redhat.io']
const compromise = { clusterId: clusterC.id, reason: 'compromise' as const, forceImmediate: true }

test('P33: after a compromise the old credentials are refused within one tick after the flip', async (t) => {
  const scene = await pullSecretScene(t)
  const { pullSecret } = await scene.service.issuing.generate({ cluster: clusterC }, tester)
  const { rotation } = await scene.service.rotating.request(compromise, tester)
  assert.deepEqual(letIn(scene, loginsOf(pullSecret)), hosts)
  await scene.tick('rotation')
  assert.deepEqual(letIn(scene, loginsOf(pullSecret)), [])
  const fresh = await scene.service.issuing.read(clusterC.id, tester)
  assert.deepEqual(letIn(scene, loginsOf(fresh)), hosts)
  const over = await scene.service.rotating.get(clusterC.id, rotation.id)
  assert.deepEqual([over.status, over.graceDeadline], ['completed', undefined])
})

test('a compromise needs no force, and a forced rotation no compromise', async (t) => {
  for (const asked of [{ reason: 'compromise' as const }, { reason: 'manual' as const, forceImmediate: true }]) {
    const scene = await pullSecretScene(t)
    const { pullSecret } = await scene.service.issuing.generate({ cluster: clusterC }, tester)
    await scene.service.rotating.request({ clusterId: clusterC.id, ...asked }, tester)
    await scene.tick('rotation')
    assert.deepEqual(letIn(scene, loginsOf(pullSecret)), [])
  }
})

test('after a compromise the old credentials stay served while no new ones can be made, unless the operator cuts first', async (t) => {
  const scene = await pullSecretScene(t)
  const { pullSecret } = await scene.service.issuing.generate({ cluster: clusterC }, tester)
  scene.redhat.fail({ method: 'POST', times: Number.POSITIVE_INFINITY, do: { answer: 503 } })
  const { rotation } = await scene.service.rotating.request(compromise, tester)
  await scene.tick('rotation')
  assert.deepEqual(letIn(scene, loginsOf(pullSecret)), hosts)
  await scene.service.rotating.cancel(clusterC.id, rotation.id, tester)

  const cut = await scene.service.rotating.request({ ...compromise, revokeFirst: true }, tester)
  await scene.tick('rotation')
  assert.deepEqual(letIn(scene, loginsOf(pullSecret)), [])
  await assert.rejects(scene.service.issuing.read(clusterC.id, tester), { code: 'PULL_NO_SECRET' })
  assert.equal((await scene.service.rotating.get(clusterC.id, cut.rotation.id)).phase, 'creating')

  scene.redhat.heal()
  await scene.clock.advance('1h')
  await scene.tick('sweep')
  await scene.tick('rotation')
  const fresh = await scene.service.issuing.read(clusterC.id, tester)
  assert.deepEqual(letIn(scene, loginsOf(fresh)), hosts)
  assert.equal((await scene.service.rotating.get(clusterC.id, cut.rotation.id)).status, 'completed')
  assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [1, 1])
})

test('revoke first: nothing is made before the old accounts are gone', async (t) => {
  const scene = await pullSecretScene(t)
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  const before = { quay: scene.quay.calls.length, redhat: scene.redhat.calls.length }
  await scene.service.rotating.request({ ...compromise, revokeFirst: true }, tester)
  await scene.tick('rotation')
  const changes = (calls: readonly { method: string; at: Date }[]) => calls.filter(({ method }) => method !== 'GET')
  const first = changes(scene.quay.calls.slice(before.quay)).map(({ method }) => method)[0]
  const firstRedhat = changes(scene.redhat.calls.slice(before.redhat)).map(({ method }) => method)[0]
  assert.deepEqual([first, firstRedhat], ['DELETE', 'DELETE'])
  assert.deepEqual([scene.quay.accounts().length, scene.redhat.accounts().length], [1, 1])
})

test('after the old ones were cut nothing but a whole document is served, whoever asks, and nothing else is told', async (t) => {
  const scene = await pullSecretScene(t)
  const { issuing, rotating } = scene.service
  const sink = new MemorySink()
  const outside = await outsideOf(scene, scene.clock, { sinks: [sink] })
  await issuing.generate({ cluster: clusterC }, tester)
  await outside.tick('delivery')
  assert.equal(sink.writes.length, 1)

  scene.redhat.fail({ method: 'POST', times: Number.POSITIVE_INFINITY, do: { answer: 503 } })
  const { rotation } = await rotating.request({ ...compromise, revokeFirst: true }, tester)
  await scene.tick('rotation')
  await assert.rejects(issuing.generate({ cluster: clusterC }, tester))
  const available = async () => {
    const { data } = await scene.database.db
      .selectFrom('event_outbox')
      .select('data')
      .where('channel', '=', 'status')
      .orderBy('seq', 'desc')
      .executeTakeFirstOrThrow()
    return (data as unknown as RecordedStatus).conditions.find(({ type }) => type === 'Available')?.status
  }
  await assert.rejects(issuing.read(clusterC.id, tester), { code: 'PULL_NO_SECRET' })
  assert.equal(await issuing.etag(clusterC.id), undefined)
  assert.equal(await available(), 'False')
  await scene.clock.advance('1h')
  await outside.tick('delivery')
  assert.equal(sink.writes.length, 1)
  // Who asks for less gets what was asked for.
  const { pullSecret: part } = await issuing.generate({ cluster: clusterC, registries: ['quay'] }, tester)
  assert.deepEqual(Object.keys(authsOf(part)), ['cloud.openshift.com', 'quay.io'])
  await assert.rejects(issuing.read(clusterC.id, tester), { code: 'PULL_NO_SECRET' })

  scene.redhat.heal()
  await scene.clock.advance('1h')
  await scene.tick('sweep')
  await scene.tick('rotation')
  assert.equal((await rotating.get(clusterC.id, rotation.id)).status, 'completed')
  const whole = await issuing.read(clusterC.id, tester)
  assert.deepEqual(letIn(scene, loginsOf(whole)), hosts)
  assert.equal(await available(), 'True')
  await scene.clock.advance('1h')
  await outside.tick('delivery')
  assert.equal(sink.copies.get(clusterC.id)?.hash, whole.document.hash)
})
