import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../../src/core/failure.ts'
import { never } from '../../support/never.ts'
import { apiScene, generateBody } from '../../support/pull-secret-api.ts'
import type { PullSecretScene } from '../../support/pull-secret-scene.ts'
import {
  clusterC,
  diesAt,
  loginOf,
  pullSecretScene,
  strayAccounts,
  sweepAll,
  tester,
} from '../../support/pull-secret-scene.ts'

const serviceAccounts = '/partners/ocm-service/service-accounts'
const path = `/clusters/${clusterC.id}/pull-secrets`
const nameOfC = `hyp-cls-${clusterC.id}`

const generate = ({ service }: Pick<PullSecretScene, 'service'>) =>
  service.issuing.generate({ cluster: clusterC }, tester)

const failsWith = (code: string) => (error: unknown) => isFailure(error, code)

test('P23: an account of a name that our intent owns is adopted, and there is one', async (t) => {
  const scene = await pullSecretScene(t)
  const dying = await scene.pod({ checkpoint: diesAt('pull.account-made'), registries: onlyRedhat })
  await assert.rejects(generate(dying), /killed/)
  // The look before the create misses it, as a replica that lags would: the create is answered 409.
  scene.redhat.fail({ method: 'GET', path: nameOfC, do: { answer: 404, body: {} } })
  const pod = await scene.pod({ registries: onlyRedhat })
  const { pullSecret } = await generate(pod)
  const creates = scene.redhat.calls.filter(
    ({ method, path }) => method === 'POST' && path.endsWith('/service-accounts'),
  )
  assert.deepEqual(
    creates.map(({ status }) => status),
    [201, 409],
  )
  assert.deepEqual(
    scene.redhat.accounts().map(({ name }) => name),
    [nameOfC],
  )
  assert.ok(scene.redhat.logsIn(...loginOf(pullSecret, 'registry.redhat.io')))
  const audit = await scene.database.db.selectFrom('credential_audit_log').select('action').execute()
  assert.ok(audit.some(({ action }) => action === 'adopt'))
})

test('P18: a robot that cannot join its team is removed, and what asked for it is told', async (t) => {
  const scene = await apiScene(t)
  scene.quay.fail({ method: 'PUT', path: '/members/', times: Number.POSITIVE_INFINITY, do: { answer: 400, body: {} } })
  const { status, body } = await scene.call('POST', path, { body: generateBody })
  assert.deepEqual([status, body.code], [502, 'HYPERFLEET-SVC-004'])
  assert.deepEqual(scene.quay.accounts(), [])
  const rows = await scene.database.db.selectFrom('registry_credentials').select(['registry_id', 'state']).execute()
  assert.deepEqual(
    rows.filter(({ registry_id }) => registry_id === 'quay'),
    [],
  )
  assert.equal((await scene.call('GET', path)).status, 404)
})

test('P19: a robot that can neither join its team nor be removed is removed in the background', async (t) => {
  const scene = await apiScene(t)
  const { quay } = scene
  quay.fail(
    { method: 'PUT', path: '/members/', times: Number.POSITIVE_INFINITY, do: { answer: 400, body: {} } },
    { method: 'DELETE', times: Number.POSITIVE_INFINITY, do: { answer: 500 } },
  )
  const { status, body } = await scene.call('POST', path, { body: generateBody })
  assert.deepEqual([status, body.code], [502, 'HYPERFLEET-SVC-004'])
  assert.equal(quay.accounts().length, 1)
  assert.equal((await scene.call('GET', path)).status, 404)
  for (let tries = 0; tries < 3; tries += 1) await sweepAll(scene, 1)
  assert.equal(quay.accounts().length, 1)
  assert.match(await scene.metrics.text(), /lanyard_pull_orphan_intents_items 1/)
  quay.heal()
  await sweepAll(scene, 1)
  assert.deepEqual(quay.accounts(), [])
  await never('lost', async () => assert.deepEqual(await strayAccounts(scene), []))
  assert.match(await scene.metrics.text(), /lanyard_pull_orphan_intents_items 0/)
  // And the next call starts afresh.
  assert.equal((await scene.call('POST', path, { body: generateBody })).status, 201)
  assert.equal(quay.accounts().length, 1)
})

test('P24: a name that is not ours is a conflict, and the foreign password goes nowhere', async (t) => {
  const scene = await apiScene(t)
  const made = await scene.callAsOther(scene.redhat, 'POST', serviceAccounts, { name: nameOfC, description: 'theirs' })
  const foreign = ((await made.json()) as { credentials: { password: string } }).credentials.password
  for (const _ of ['once', 'again']) {
    const answer = await scene.call('POST', path, { body: generateBody })
    assert.equal(answer.status, 409)
    assert.ok(!answer.text.includes(foreign))
  }
  // Also when the look before misses it, so that the create itself is answered 409.
  scene.redhat.fail({ method: 'GET', path: nameOfC, do: { answer: 404, body: {} } })
  const answer = await scene.call('POST', path, { body: generateBody })
  assert.equal(answer.status, 409)
  assert.ok(!answer.text.includes(foreign))
  assert.ok(scene.redhat.calls.some(({ method, status }) => method === 'POST' && status === 409))
  await sweepAll(scene)
  const rows = await scene.database.db.selectFrom('registry_credentials').selectAll().execute()
  assert.deepEqual(
    rows.map(({ registry_id, state }) => [registry_id, state]),
    [['quay', 'active']],
  )
  // Untouched, and told of.
  assert.ok(scene.redhat.logsIn(`|${nameOfC}`, foreign))
  assert.match(await scene.metrics.text(), /lanyard_pull_foreign_names_total\{registry="redhat"\} [1-9]/)
  await assert.rejects(scene.service.issuing.read(clusterC.id, tester), failsWith('PULL_NO_SECRET'))
})

test('a foreign account that was deleted softly stays so', async (t) => {
  const scene = await pullSecretScene(t)
  await scene.callAsOther(scene.redhat, 'POST', serviceAccounts, { name: nameOfC, description: 'theirs' })
  await scene.callAsOther(scene.redhat, 'DELETE', `${serviceAccounts}/${nameOfC}`)
  await assert.rejects(generate(scene), failsWith('REGISTRY_NAME_TAKEN'))
  assert.deepEqual(scene.redhat.accounts(), [])
  // Also when our first call got lost, so that the name could be ours.
  scene.redhat.fail({ method: 'POST', path: 'service-accounts', do: 'drop' })
  await assert.rejects(generate(scene))
  await sweepAll(scene)
  assert.deepEqual(scene.redhat.accounts(), [])
})

for (const tellsPassword of [true, false]) {
  const how = tellsPassword ? 'with its password' : 'without a password, so that another name is used'
  test(`P25: ours that was deleted softly is recovered, ${how}`, async (t) => {
    const scene = await pullSecretScene(t)
    await assert.rejects(generate(await scene.pod({ checkpoint: diesAt('pull.account-made'), registries: onlyRedhat })))
    await scene.callAsOther(scene.redhat, 'DELETE', `${serviceAccounts}/${nameOfC}`)
    scene.redhat.switches.recoverTellsPassword = tellsPassword
    scene.redhat.switches.getTellsPassword = tellsPassword
    const { pullSecret } = await generate(scene)
    const recovers = scene.redhat.calls.filter(({ method, path }) => method === 'POST' && path.endsWith(nameOfC))
    assert.equal(recovers.length, 1)
    assert.deepEqual(
      scene.redhat.accounts().map(({ name }) => name),
      [tellsPassword ? nameOfC : `${nameOfC}-g001`],
    )
    assert.ok(scene.redhat.logsIn(...loginOf(pullSecret, 'registry.redhat.io')))
    await never('lost', async () => assert.deepEqual(await strayAccounts(scene), []))
  })
}

test('P47: a robot whose creation timed out is found by its name and adopted', async (t) => {
  const scene = await pullSecretScene(t, {
    registries: (set) => set.map((entry) => (entry.id === 'quay' ? { ...entry, timeoutMs: 300 } : entry)),
  })
  scene.quay.fail({ method: 'PUT', path: '/robots/', do: 'apply-then-hang' })
  const { pullSecret } = await generate(scene)
  assert.equal(scene.quay.accounts().length, 1)
  assert.equal(scene.quay.calls.filter(({ method, path }) => method === 'PUT' && path.includes('/robots/')).length, 1)
  assert.ok(scene.quay.logsIn(...loginOf(pullSecret, 'quay.io')))
  assert.ok([...(scene.quay.teams.values().next().value?.members ?? [])].length === 1)
})

test('a registry that gives no answer at all costs nothing but time', async (t) => {
  const scene = await pullSecretScene(t)
  scene.redhat.fail({ times: 40, do: { answer: 503 } })
  await assert.rejects(generate(scene))
  const rows = await scene.database.db.selectFrom('registry_credentials').selectAll().execute()
  assert.deepEqual(
    rows.map(({ registry_id }) => registry_id),
    ['quay'],
  )
  scene.redhat.heal()
})

function onlyRedhat<T extends { id: string }>(set: T[]): T[] {
  return set.filter(({ id }) => id.startsWith('redhat'))
}
