import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../../src/core/failure.ts'
import type { StandInCall } from '../../../src/demo/registries/index.ts'
import { apiScene, generateBody } from '../../support/pull-secret-api.ts'
import { authsOf, clusterC, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'

const path = `/clusters/${clusterC.id}/pull-secrets`
const isRobotMade = ({ method, path }: StandInCall) => method === 'PUT' && path.includes('/robots/')
const isAccountMade = ({ method, path }: StandInCall) => method === 'POST' && path.endsWith('/service-accounts')

test('P1: the first call makes one robot and one account, and a document of all four hosts', async (t) => {
  const { call, quay, redhat } = await apiScene(t)
  const { status, body } = await call('POST', path, { body: generateBody })
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(body.pull_secret.auths), [
    'cloud.openshift.com',
    'quay.io',
    'registry.connect.redhat.com',
    'registry.redhat.io',
  ])
  assert.equal(quay.calls.filter(isRobotMade).length, 1)
  assert.equal(redhat.calls.filter(isAccountMade).length, 1)
})

test('P2: the second call gives the same bytes and calls nobody', async (t) => {
  const { call, quay, redhat } = await apiScene(t)
  const first = await call('POST', path, { body: generateBody })
  const calls = [quay.calls.length, redhat.calls.length]
  const second = await call('POST', path, { body: generateBody })
  assert.deepEqual([first.status, second.status], [201, 200])
  assert.equal(second.text, first.text)
  assert.equal(second.headers['etag'], first.headers['etag'])
  assert.deepEqual([quay.calls.length, redhat.calls.length], calls)
})

test('P3: hosts of one source show the same credential, which decodes to username and token', async (t) => {
  const { call, quay, redhat } = await apiScene(t)
  const { auths } = (await call('POST', path, { body: generateBody })).body.pull_secret
  assert.equal(auths['quay.io'].auth, auths['cloud.openshift.com'].auth)
  assert.equal(auths['registry.redhat.io'].auth, auths['registry.connect.redhat.com'].auth)
  for (const [host, standIn] of [
    ['quay.io', quay],
    ['registry.redhat.io', redhat],
  ] as const) {
    const [, username = '', token = ''] =
      /^([^:]*):(.*)$/.exec(Buffer.from(auths[host].auth, 'base64').toString()) ?? []
    assert.equal(username, standIn.accounts()[0]?.username)
    assert.ok(standIn.logsIn(username, token))
  }
})

test('a registry that is not required and fails is left out, and comes once it works', async (t) => {
  const { service, redhat } = await pullSecretScene(t, {
    registries: (set) => set.map((entry) => (entry.id === 'redhat' ? { ...entry, required: false } : entry)),
  })
  redhat.fail({ times: Number.POSITIVE_INFINITY, do: { answer: 400 } })
  const without = await service.issuing.generate({ cluster: clusterC }, tester)
  assert.deepEqual(without.pullSecret.document.hosts, ['cloud.openshift.com', 'quay.io'])
  redhat.heal()
  const whole = await service.issuing.generate({ cluster: clusterC }, tester)
  assert.equal(whole.pullSecret.document.hosts.length, 4)
  assert.deepEqual([without.created, whole.created], [true, true])
  assert.deepEqual([without.pullSecret.generation, whole.pullSecret.generation], [1, 2])
  assert.notEqual(without.pullSecret.etag, whole.pullSecret.etag)
})

test('nothing partial is ever served: until all is there for the first time there is nothing', async (t) => {
  const { service, redhat, quay } = await pullSecretScene(t)
  redhat.fail({ times: Number.POSITIVE_INFINITY, do: { answer: 503 } })
  await assert.rejects(service.issuing.generate({ cluster: clusterC }, tester))
  assert.equal(quay.accounts().length, 1)
  await assert.rejects(service.issuing.read(clusterC.id, tester), (error) => isFailure(error, 'PULL_NO_SECRET'))
  assert.equal(await service.issuing.etag(clusterC.id), undefined)
  redhat.heal()
  const { pullSecret, created } = await service.issuing.generate({ cluster: clusterC }, tester)
  assert.equal(created, true)
  assert.equal(Object.keys(authsOf(pullSecret)).length, 4)
  assert.equal(quay.accounts().length, 1)
})

test('what is said of a cluster is kept, and its first owner stays', async (t) => {
  const { service, database } = await pullSecretScene(t)
  const generate = (facts: object) => service.issuing.generate({ cluster: { ...clusterC, ...facts } }, tester)
  await generate({ owner: 'one', externalResourceId: 'ext' })
  await generate({ owner: 'other', region: 'us-east2' })
  const row = await database.db.selectFrom('pull_secret_clusters').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual([row.owner, row.region, row.external_resource_id], ['one', 'us-east2', 'ext'])
  assert.equal(row.generation, 1)
})
