import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiScene, generateBody } from '../../support/pull-secret-api.ts'
import { clusterC, org, pullSecretScene, sweepAll, tester } from '../../support/pull-secret-scene.ts'

const path = `/clusters/${clusterC.id}/pull-secrets`

test('P40: a deletion that Red Hat holds up is told a registry, ends by itself, and leaves its audit entries', async (t) => {
  const scene = await apiScene(t)
  const { call, quay, redhat, database } = scene
  await call('POST', path, { body: generateBody })
  redhat.fail({ method: 'DELETE', times: Number.POSITIVE_INFINITY, do: { answer: 500 } })
  const pending = await call('DELETE', path)
  assert.equal(pending.status, 202)
  assert.deepEqual(pending.body.registries, [
    { registry_id: 'quay', state: 'done' },
    { registry_id: 'redhat', state: 'pending' },
  ])
  assert.deepEqual([quay.accounts().length, redhat.accounts().length], [0, 1])
  assert.equal((await call('GET', path)).status, 404)
  assert.equal((await call('POST', path, { body: generateBody })).status, 409)
  assert.equal((await call('DELETE', path)).status, 202)
  redhat.heal()
  await sweepAll(scene, 1)
  assert.deepEqual(redhat.accounts(), [])
  assert.equal((await call('DELETE', path)).status, 204)
  assert.deepEqual(await database.db.selectFrom('pull_secret_clusters').selectAll().execute(), [])
  assert.deepEqual(await database.db.selectFrom('registry_credentials').selectAll().execute(), [])
  const audit = await database.db
    .selectFrom('credential_audit_log')
    .select(['action', 'registry_id'])
    .where('cluster_id', '=', clusterC.id)
    .where('action', 'in', ['create', 'delete'])
    .execute()
  assert.deepEqual(audit.map(({ action, registry_id }) => `${action} ${registry_id}`).sort(), [
    'create quay',
    'create redhat',
    'delete null',
    'delete quay',
    'delete redhat',
  ])
})

test('P41: there is nothing to do for a cluster that was never known', async (t) => {
  const { call, quay, redhat } = await apiScene(t)
  assert.equal((await call('DELETE', '/clusters/never-known/pull-secrets')).status, 204)
  assert.deepEqual([quay.calls.length, redhat.calls.length], [0, 0])
})

test('a cluster that comes back after its deletion gets names that were never used', async (t) => {
  const scene = await pullSecretScene(t)
  const { service, redhat } = scene
  await service.issuing.generate({ cluster: clusterC }, tester)
  await service.ending.remove(clusterC.id, tester)
  await service.issuing.generate({ cluster: clusterC }, tester)
  assert.deepEqual(
    redhat.accounts().map(({ name }) => name),
    [`hyp-cls-${clusterC.id}-g001`],
  )
  // Nor does another cluster of the same external id get what the first one had.
  const external = { externalResourceId: 'abc123def456' }
  await service.issuing.generate({ cluster: { ...clusterC, id: 'one', ...external } }, tester)
  await service.issuing.generate({ cluster: { ...clusterC, id: 'other', ...external } }, tester)
  const names = redhat.accounts().map(({ name }) => name)
  assert.ok(names.includes('hyp-cls-abc123def456') && names.includes('hyp-cls-abc123def456-g001'))
})

test('a suspended cluster can be deleted', async (t) => {
  const scene = await pullSecretScene(t)
  const { service, database } = scene
  await service.issuing.generate({ cluster: clusterC }, tester)
  await service.ending.suspend(clusterC.id, 'abuse', tester)
  assert.deepEqual((await service.ending.remove(clusterC.id, tester)).registries, { quay: 'done', redhat: 'done' })
  assert.deepEqual(await database.db.selectFrom('cluster_suspensions').selectAll().execute(), [])
  assert.deepEqual(await database.db.selectFrom('registry_credentials').selectAll().execute(), [])
})

test('a suspended cluster is deleted without touching somebody else who has its old name', async (t) => {
  const scene = await pullSecretScene(t)
  const { service, redhat } = scene
  await service.issuing.generate({ cluster: clusterC }, tester)
  await service.ending.suspend(clusterC.id, 'abuse', tester)
  const name = `hyp-cls-${clusterC.id}`
  redhat.switches.createAfterDelete = 'create'
  const accounts = '/partners/ocm-service/service-accounts'
  const made = await scene.callAsOther(redhat, 'POST', accounts, { name, description: '(instance theirs)' })
  const foreign = ((await made.json()) as { credentials: { password: string } }).credentials.password
  await service.ending.remove(clusterC.id, tester)
  await sweepAll(scene)
  assert.ok(redhat.logsIn(`|${name}`, foreign))
})

const corrupted = [
  { username: 'without-a-plus', external_name: 'without-a-plus/..' },
  { username: 'without-a-plus' },
  { username: `${org}+..` },
  { username: `${org}+..`, external_name: '..' },
  { username: `${org}+.`, external_name: '.' },
  { username: `${org}+`, external_name: ' ' },
]

test('P15: a stored name that is not fit for a path is never sent, and a person is told', async (t) => {
  const scene = await pullSecretScene(t)
  const { service, quay, database } = scene
  for (const [n, damage] of corrupted.entries()) {
    const id = `damaged-${n}`
    await service.issuing.generate({ cluster: { ...clusterC, id }, registries: ['quay'] }, tester)
    await database.db.updateTable('registry_credentials').set(damage).where('account_id', '=', id).execute()
    assert.deepEqual((await service.ending.remove(id, tester)).registries, { quay: 'pending' })
    await service.ending.remove(id, tester)
  }
  await sweepAll(scene)
  assert.deepEqual(
    quay.calls.filter(({ method }) => method === 'DELETE'),
    [],
  )
  assert.equal(quay.hasOrg, true)
  assert.equal(quay.accounts().length, corrupted.length)
  const intents = await database.db
    .selectFrom('credential_intents')
    .select(['phase', 'last_error'])
    .where('op', '=', 'delete')
    .execute()
  assert.deepEqual(
    intents,
    corrupted.map(() => ({ phase: 'failed', last_error: 'PULL_UNSAFE_NAME' })),
  )
  assert.match(await scene.metrics.text(), new RegExp(`lanyard_pull_unsafe_names_total ${corrupted.length}`))
})
