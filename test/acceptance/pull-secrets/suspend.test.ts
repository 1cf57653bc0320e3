import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../../src/core/failure.ts'
import { never } from '../../support/never.ts'
import { apiScene, generateBody } from '../../support/pull-secret-api.ts'
import type { PullSecretScene } from '../../support/pull-secret-scene.ts'
import {
  authsOf,
  clusterC,
  diesAt,
  loginOf,
  pullSecretScene,
  strayAccounts,
  sweepAll,
  tester,
} from '../../support/pull-secret-scene.ts'

const path = `/clusters/${clusterC.id}/pull-secrets`
const isSuspended = (error: unknown) => isFailure(error, 'PULL_SUSPENDED') && error.status === 409

const rowsIn = ({ database }: PullSecretScene) =>
  database.db.selectFrom('registry_credentials').selectAll().orderBy('registry_id').orderBy('generation').execute()

const eventsIn = async ({ database }: PullSecretScene): Promise<string[]> => {
  const rows = await database.db
    .selectFrom('event_outbox')
    .select('type')
    .where('channel', '=', 'event')
    .orderBy('seq')
    .execute()
  return rows.map(({ type }) => type)
}

test('P37: suspended, a cluster has no account outside, keeps its rows, and gets nothing however often it asks', async (t) => {
  const scene = await apiScene(t)
  const { service, call } = scene
  await call('POST', path, { body: generateBody })
  const { status } = await call('POST', `${path}/suspend`, { body: { reason: 'abuse' } })
  assert.equal(status, 200)
  assert.deepEqual([scene.quay.accounts(), scene.redhat.accounts()], [[], []])
  const rows = await rowsIn(scene)
  assert.deepEqual(
    rows.map(({ state, token }) => [state, token]),
    [
      ['suspended', null],
      ['suspended', null],
    ],
  )
  const calls = () => scene.quay.calls.length + scene.redhat.calls.length
  const before = calls()
  for (let retry = 0; retry < 3; retry += 1) {
    for (const answer of [await call('POST', path, { body: generateBody }), await call('GET', path)])
      assert.deepEqual([answer.status, answer.body.code], [409, 'HYPERFLEET-CNF-003'])
  }
  assert.equal(await service.issuing.etag(clusterC.id), undefined)
  await sweepAll(scene)
  assert.equal(calls(), before)
  assert.deepEqual((await service.ending.suspend(clusterC.id, 'again', tester)).registries, {
    quay: 'done',
    redhat: 'done',
  })
  assert.deepEqual(await eventsIn(scene), ['generated', 'suspended'])
})

test('P38: resumed, a cluster has new credentials that work, Red Hat recovered its account, and adapters are told', async (t) => {
  const scene = await pullSecretScene(t)
  const { service, quay, redhat } = scene
  const { pullSecret: before } = await service.issuing.generate({ cluster: clusterC }, tester)
  await service.ending.suspend(clusterC.id, 'abuse', tester)
  const resumed = await service.ending.resume(clusterC.id, 'cleared', tester)
  const [quayLogin, redhatLogin] = [loginOf(resumed, 'quay.io'), loginOf(resumed, 'registry.redhat.io')]
  assert.ok(quay.logsIn(...quayLogin) && redhat.logsIn(...redhatLogin))
  for (const [host, { auth }] of Object.entries(authsOf(resumed))) assert.notEqual(auth, authsOf(before)[host]?.auth)
  assert.notEqual(resumed.etag, before.etag)
  assert.ok(redhat.calls.some(({ method, path }) => method === 'POST' && path.endsWith(`hyp-cls-${clusterC.id}`)))
  assert.deepEqual(
    redhat.accounts().map(({ name }) => name),
    [`hyp-cls-${clusterC.id}`],
  )
  assert.deepEqual(await eventsIn(scene), ['generated', 'suspended', 'resumed', 'updated'])
  const read = await service.issuing.read(clusterC.id, tester)
  assert.equal(read.document.hash, resumed.document.hash)
  await never('lost', async () => assert.deepEqual(await strayAccounts(scene), []))
  assert.deepEqual(
    (await rowsIn(scene)).map(({ state }) => state),
    ['active', 'active'],
  )
  // Once more is no change.
  assert.equal((await service.ending.resume(clusterC.id, 'again', tester)).document.hash, resumed.document.hash)
})

for (const isDeleted of [false, true]) {
  const how = isDeleted ? 'deleted softly' : 'in use'
  test(`P38: a foreign account under the old name, ${how}, is neither served nor touched`, async (t) => {
    const scene = await pullSecretScene(t)
    const { service, redhat } = scene
    await service.issuing.generate({ cluster: clusterC }, tester)
    await service.ending.suspend(clusterC.id, 'abuse', tester)
    const name = `hyp-cls-${clusterC.id}`
    // Ours was purged, and another installation of the same partner came to the name.
    redhat.switches.createAfterDelete = 'create'
    const accounts = '/partners/ocm-service/service-accounts'
    const made = await scene.callAsOther(redhat, 'POST', accounts, { name, description: '(instance theirs)' })
    const foreign = ((await made.json()) as { credentials: { password: string } }).credentials.password
    if (isDeleted) await scene.callAsOther(redhat, 'DELETE', `${accounts}/${name}`)
    const back = await service.ending.resume(clusterC.id, 'cleared', tester)
    const [username, token] = loginOf(back, 'registry.redhat.io')
    assert.ok(username !== `|${name}` && token !== foreign)
    assert.ok(redhat.logsIn(username, token))
    assert.match(await scene.metrics.text(), /lanyard_pull_foreign_names_total\{registry="redhat"\} 1/)
    assert.ok((await rowsIn(scene)).every(({ state, external_name }) => state === 'active' && external_name !== name))
    await service.ending.remove(clusterC.id, tester)
    await sweepAll(scene)
    assert.equal(redhat.logsIn(`|${name}`, foreign), !isDeleted)
    assert.deepEqual(
      redhat.accounts().map((account) => account.name),
      isDeleted ? [] : [name],
    )
  })
}

for (const tellsPassword of [true, false])
  test(`what came back before a crash is not recovered again (${tellsPassword ? 'a look' : 'no look'} tells its password)`, async (t) => {
    const scene = await pullSecretScene(t, { registries: (set) => set.filter(({ id }) => id === 'redhat') })
    const { service, redhat } = scene
    await service.issuing.generate({ cluster: clusterC }, tester)
    await service.ending.suspend(clusterC.id, 'abuse', tester)
    const dying = await scene.pod({ checkpoint: diesAt('pull.account-made') })
    await assert.rejects(dying.service.ending.resume(clusterC.id, 'cleared', tester))
    // Nobody knows what a recovery of one that is not deleted is answered.
    redhat.fail({ method: 'POST', path: `hyp-cls-${clusterC.id}`, do: { answer: 422, body: {} } })
    redhat.switches.getTellsPassword = tellsPassword
    const back = await service.ending.resume(clusterC.id, 'cleared', tester)
    assert.ok(redhat.logsIn(...loginOf(back, 'registry.redhat.io')))
    assert.equal(redhat.accounts().length, 1)
    await never('lost', async () => assert.deepEqual(await strayAccounts(scene), []))
  })

test('P39: a suspension in the dual phase cancels the rotation and revokes both generations', async (t) => {
  const scene = await pullSecretScene(t)
  const { service, quay, redhat } = scene
  const { pullSecret: old } = await service.issuing.generate({ cluster: clusterC }, tester)
  const { rotation } = await service.rotating.request({ clusterId: clusterC.id, reason: 'manual' }, tester)
  await scene.tick('rotation')
  const dual = await service.issuing.read(clusterC.id, tester)
  assert.notEqual(dual.document.hash, old.document.hash)
  assert.deepEqual([quay.accounts().length, redhat.accounts().length], [2, 2])
  await service.ending.suspend(clusterC.id, 'abuse', tester)
  assert.equal((await service.rotating.get(clusterC.id, rotation.id)).status, 'cancelled')
  for (const document of [old, dual]) {
    assert.ok(!quay.logsIn(...loginOf(document, 'quay.io')))
    assert.ok(!redhat.logsIn(...loginOf(document, 'registry.redhat.io')))
  }
  assert.deepEqual([quay.accounts(), redhat.accounts()], [[], []])
  await scene.tick('rotation')
  assert.deepEqual([quay.accounts(), redhat.accounts()], [[], []])
  const back = await service.ending.resume(clusterC.id, 'cleared', tester)
  assert.ok(redhat.logsIn(...loginOf(back, 'registry.redhat.io')))
  assert.deepEqual([quay.accounts().length, redhat.accounts().length], [1, 1])
})

test('a registry that is down keeps a cluster suspending, and the sweeper ends it', async (t) => {
  const scene = await pullSecretScene(t)
  const { service, redhat, quay } = scene
  await service.issuing.generate({ cluster: clusterC }, tester)
  redhat.fail({ method: 'DELETE', times: Number.POSITIVE_INFINITY, do: { answer: 500 } })
  const { registries } = await service.ending.suspend(clusterC.id, 'abuse', tester)
  assert.deepEqual(registries, { quay: 'done', redhat: 'pending' })
  await assert.rejects(service.issuing.read(clusterC.id, tester), isSuspended)
  await sweepAll(scene, 1)
  assert.deepEqual([quay.accounts().length, redhat.accounts().length], [0, 1])
  assert.match(await scene.metrics.text(), /lanyard_pull_orphan_intents_items 1/)
  redhat.heal()
  await sweepAll(scene, 1)
  assert.equal(redhat.accounts().length, 0)
  const suspension = await scene.database.db.selectFrom('cluster_suspensions').selectAll().executeTakeFirstOrThrow()
  assert.equal(suspension.phase, 'suspended')
  assert.match(await scene.metrics.text(), /lanyard_pull_orphan_intents_items 0/)
})

test('a resumption that a registry holds up stays suspended, and goes on by itself', async (t) => {
  const scene = await pullSecretScene(t)
  const { service, redhat } = scene
  await service.issuing.generate({ cluster: clusterC }, tester)
  await service.ending.suspend(clusterC.id, 'abuse', tester)
  redhat.fail({ times: Number.POSITIVE_INFINITY, do: { answer: 503 } })
  await assert.rejects(service.ending.resume(clusterC.id, 'cleared', tester))
  await assert.rejects(service.issuing.read(clusterC.id, tester), isSuspended)
  redhat.heal()
  await sweepAll(scene, 1)
  const back = await service.issuing.read(clusterC.id, tester)
  assert.ok(redhat.logsIn(...loginOf(back, 'registry.redhat.io')))
  await never('lost', async () => assert.deepEqual(await strayAccounts(scene), []))
})

test('resumed while a registry still holds up the suspension, a cluster gets a new account and the old one goes', async (t) => {
  const scene = await pullSecretScene(t)
  const { service, redhat } = scene
  await service.issuing.generate({ cluster: clusterC }, tester)
  redhat.fail({ method: 'DELETE', times: Number.POSITIVE_INFINITY, do: { answer: 500 } })
  await service.ending.suspend(clusterC.id, 'abuse', tester)
  const back = await service.ending.resume(clusterC.id, 'cleared', tester)
  assert.ok(redhat.logsIn(...loginOf(back, 'registry.redhat.io')))
  redhat.heal()
  await sweepAll(scene)
  assert.ok(redhat.logsIn(...loginOf(back, 'registry.redhat.io')))
  assert.equal(redhat.accounts().length, 1)
  assert.deepEqual(
    (await rowsIn(scene)).map(({ state }) => state),
    ['active', 'active'],
  )
})

test('what was never complete is not served after a suspension either', async (t) => {
  const { service, redhat } = await pullSecretScene(t)
  redhat.fail({ times: Number.POSITIVE_INFINITY, do: { answer: 503 } })
  await assert.rejects(service.issuing.generate({ cluster: clusterC }, tester))
  redhat.heal()
  await service.ending.suspend(clusterC.id, 'abuse', tester)
  const isNone = (error: unknown) => isFailure(error, 'PULL_NO_SECRET')
  await assert.rejects(service.ending.resume(clusterC.id, 'cleared', tester), isNone)
  await assert.rejects(service.issuing.read(clusterC.id, tester), isNone)
  const { pullSecret } = await service.issuing.generate({ cluster: clusterC }, tester)
  assert.equal(pullSecret.document.hosts.length, 4)
})

test('suspended again while it resumes, a cluster has nothing outside', async (t) => {
  const scene = await pullSecretScene(t)
  const { service, quay, redhat } = scene
  await service.issuing.generate({ cluster: clusterC }, tester)
  await service.ending.suspend(clusterC.id, 'abuse', tester)
  redhat.fail(
    { method: 'POST', times: 3, do: { applyThenAnswer: 500 } },
    { method: 'GET', times: 50, do: { answer: 503 } },
  )
  await assert.rejects(service.ending.resume(clusterC.id, 'cleared', tester))
  redhat.heal()
  await service.ending.suspend(clusterC.id, 'after all', tester)
  await sweepAll(scene)
  assert.deepEqual([quay.accounts(), redhat.accounts()], [[], []])
})

test('a cluster that nobody knows cannot be suspended', async (t) => {
  const { service } = await pullSecretScene(t)
  await assert.rejects(service.ending.suspend('nobody', 'abuse', tester), (error) =>
    isFailure(error, 'PULL_NO_CLUSTER'),
  )
  await assert.rejects(service.ending.suspend('nobody', '', tester), (error) => isFailure(error, 'PULL_INPUT'))
})
