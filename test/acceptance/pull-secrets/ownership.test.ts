import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallAnswer } from '../../support/pull-secret-api.ts'
import { apiScene, generateBody, ownOrganization } from '../../support/pull-secret-api.ts'
import { clusterC } from '../../support/pull-secret-scene.ts'

const secret = `/clusters/${clusterC.id}/pull-secrets`
const path = `${secret}/rotations`
const body = { reason: 'manual' }
const told = ({ status, body: answer }: CallAnswer) => [status, answer.code]
const notTheirs = [403, 'HYPERFLEET-AUZ-001']

test('P71: a rotation is for the owner of the cluster, by the configured claim, and nobody else starts one', async (t) => {
  const { call, database } = await apiScene(t)
  await call('POST', secret, { as: 'adapter', body: { ...generateBody, owner: ownOrganization } })
  assert.deepEqual(told(await call('POST', path, { as: 'stranger', body })), notTheirs)
  assert.equal((await database.data.query('SELECT id FROM pull_secret_rotations')).rowCount, 0)
  const made = await call('POST', path, { as: 'owner', body })
  assert.deepEqual([made.status, made.body.status, made.body.requested_by], [201, 'pending', 'owner@example.com'])
})

test('every rotation endpoint is the owner’s; cancelling is an operator’s', async (t) => {
  const { call } = await apiScene(t)
  await call('POST', secret, { as: 'adapter', body: { ...generateBody, owner: ownOrganization } })
  const { body: rotation } = await call('POST', path, { as: 'owner', body })
  const one = `${path}/${rotation.id}`
  for (const [method, target] of [
    ['GET', path],
    ['GET', one],
    ['POST', `${one}/confirm`],
    ['POST', `${one}/cancel`],
  ] as const)
    assert.deepEqual(told(await call(method, target, { as: 'stranger' })), notTheirs, `${method} ${target}`)
  assert.equal((await call('GET', path, { as: 'owner' })).body.items[0].id, rotation.id)
  assert.equal((await call('GET', one, { as: 'owner' })).body.id, rotation.id)
  assert.deepEqual(told(await call('POST', `${one}/cancel`, { as: 'owner' })), notTheirs)
  assert.equal((await call('POST', `${one}/cancel`, { as: 'operator' })).body.status, 'cancelled')
})

test('tokens of a cluster are read and removed by its owner, and by those who work on all clusters', async (t) => {
  const { call } = await apiScene(t)
  await call('POST', secret, { as: 'adapter', body: { ...generateBody, owner: ownOrganization } })
  for (const [method, sent] of [
    ['GET', {}],
    ['GET', { headers: { 'if-none-match': '*' } }],
  ] as const)
    assert.deepEqual(told(await call(method, secret, { as: 'stranger', ...sent })), notTheirs)
  for (const as of ['owner', 'adapter', 'operator'] as const)
    assert.equal((await call('GET', secret, { as })).status, 200, as)
})

test('who may create makes clusters of their own, and touches nobody else’s', async (t) => {
  const { call, database } = await apiScene(t, {
    access: {
      roles: [{ claim: 'groups', value: 'customers', permissions: ['pull-secrets:create', 'pull-secrets:delete'] }],
    },
  })
  const ownerOnRecord = async () =>
    (await database.data.query('SELECT cluster_id, owner FROM pull_secret_clusters')).rows
  assert.deepEqual(
    told(await call('POST', secret, { as: 'owner', body: { ...generateBody, owner: 'somebody-else' } })),
    notTheirs,
  )
  assert.deepEqual(await ownerOnRecord(), [])
  for (const status of [201, 200])
    assert.equal((await call('POST', secret, { as: 'owner', body: generateBody })).status, status)
  assert.deepEqual(
    (await ownerOnRecord()).map(({ owner }) => owner),
    [ownOrganization],
  )
  assert.deepEqual(told(await call('POST', secret, { as: 'stranger', body: generateBody })), notTheirs)
  assert.deepEqual(told(await call('DELETE', secret, { as: 'stranger' })), notTheirs)
  assert.equal((await call('DELETE', secret, { as: 'owner' })).status, 204)

  // Both find it unknown; it can become one's only.
  const contested = '/clusters/contested/pull-secrets'
  const made = await Promise.all(
    (['owner', 'stranger'] as const).map((as) => call('POST', contested, { as, body: generateBody })),
  )
  const winners = made.filter(({ status }) => status < 300)
  assert.equal(winners.length, 1, made.map(({ status }) => status).join())
  assert.deepEqual(
    made.filter(({ status }) => status >= 300).map(({ status }) => status),
    [403],
  )
  const organization = made[0] === winners[0] ? ownOrganization : 'org-of-stranger'
  const [recorded] = (await ownerOnRecord()).filter(({ cluster_id }) => cluster_id === 'contested')
  assert.equal(recorded?.owner, organization, 'who owns it is who got it')
})

test('operators and adapters rotate clusters of anybody; a cluster of nobody is theirs alone', async (t) => {
  const { call } = await apiScene(t)
  await call('POST', secret, { as: 'adapter', body: generateBody })
  assert.deepEqual(told(await call('POST', path, { as: 'owner', body })), notTheirs)
  const made = await call('POST', path, { as: 'operator', body })
  assert.equal(made.status, 201)
  await call('POST', `${path}/${made.body.id}/cancel`)
  assert.equal((await call('POST', path, { as: 'adapter', body })).status, 201)
})

test('whoever does not own a cluster is not told whether it exists', async (t) => {
  const { call } = await apiScene(t)
  assert.deepEqual(
    told(await call('POST', '/clusters/unknown/pull-secrets/rotations', { as: 'owner', body })),
    notTheirs,
  )
  assert.deepEqual(told(await call('POST', '/clusters/unknown/pull-secrets/rotations', { body })), [
    404,
    'HYPERFLEET-NTF-002',
  ])
})

test('the owner of a cluster stays who it was: another request does not make it somebody else’s', async (t) => {
  const { call } = await apiScene(t)
  await call('POST', secret, { as: 'adapter', body: { ...generateBody, owner: ownOrganization } })
  await call('POST', secret, { as: 'adapter', body: { ...generateBody, owner: 'org-of-stranger' } })
  assert.deepEqual(told(await call('POST', path, { as: 'stranger', body })), notTheirs)
  assert.equal((await call('POST', path, { as: 'owner', body })).status, 201)
})

test('P32: a second rotation waits for the first, whose id is told; the same Idempotency-Key gives the first again', async (t) => {
  const { call, clock } = await apiScene(t)
  await call('POST', secret, { body: generateBody })
  const headers = { 'idempotency-key': 'once-1' }
  const first = await call('POST', path, { body, headers })
  assert.deepEqual([first.status, first.headers['location']], [201, `/api/hyperfleet/v1${path}/${first.body.id}`])
  const second = await call('POST', path, { body })
  assert.deepEqual([...told(second), second.body.rotation_id], [409, 'HYPERFLEET-CNF-003', first.body.id])
  const again = await call('POST', path, { body, headers })
  assert.deepEqual([again.status, again.body.id], [200, first.body.id])
  await clock.advance('25h')
  assert.deepEqual(told(await call('POST', path, { body, headers })), [409, 'HYPERFLEET-CNF-003'])
  const other = await call('POST', path, { body: { reason: 'compromise' }, headers: { 'idempotency-key': 'once-2' } })
  assert.deepEqual(told(other), [409, 'HYPERFLEET-CNF-003'])
  for (const key of ['', 'a b', 'x'.repeat(256)])
    assert.deepEqual(
      told(await call('POST', path, { body, headers: { 'idempotency-key': key } })),
      [400, 'HYPERFLEET-VAL-002'],
      key,
    )
})
