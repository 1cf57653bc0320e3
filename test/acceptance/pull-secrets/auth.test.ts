import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { assertNoCanary } from '../../support/canary.ts'
import type { CallAnswer } from '../../support/pull-secret-api.ts'
import { apiScene, generateBody } from '../../support/pull-secret-api.ts'
import { clusterC } from '../../support/pull-secret-scene.ts'

const path = `/clusters/${clusterC.id}/pull-secrets`
const told = ({ status, body }: CallAnswer) => [status, body.code]
const bearer = (token: string) => ({ as: null, headers: { authorization: `Bearer ${token}` } })
const operator = { email: 'operator@example.com', groups: ['sre'] }

test('P9: who has no token, a wrong one or no permission is told so, and metadata is no way to tokens', async (t) => {
  const { call, issuer, quay, redhat } = await apiScene(t)
  assert.deepEqual(told(await call('GET', path, { as: null })), [401, 'HYPERFLEET-AUT-001'])
  const forOthers = await issuer.token({ ...operator, aud: 'somebody-else' })
  assert.deepEqual(told(await call('GET', path, bearer(forOthers))), [401, 'HYPERFLEET-AUT-002'])
  assert.deepEqual(told(await call('POST', path, { as: 'owner', body: generateBody })), [403, 'HYPERFLEET-AUZ-001'])
  assert.equal(quay.calls.length + redhat.calls.length, 0)

  assert.equal((await call('POST', path, { as: 'adapter', body: generateBody })).status, 201)
  for (const [method, body] of [
    ['GET', undefined],
    ['POST', generateBody],
    ['DELETE', undefined],
  ] as const)
    assert.deepEqual(told(await call(method, path, { as: 'reader', body })), [403, 'HYPERFLEET-AUZ-001'], method)
  const metadata = await call('GET', `/credentials?search=${encodeURIComponent(`cluster_id = '${clusterC.id}'`)}`, {
    as: 'reader',
  })
  assert.deepEqual([metadata.status, metadata.body.total], [200, 2])
})

test('what is about all clusters at once is for those who reach all of them', async (t) => {
  const { call } = await apiScene(t)
  await call('POST', path, { body: generateBody })
  for (const refused of [
    await call('GET', '/clusters', { as: 'viewer' }),
    await call('GET', '/credentials', { as: 'viewer' }),
  ]) {
    assert.deepEqual(told(refused), [403, 'HYPERFLEET-AUZ-001'])
    assert.match(refused.text, /clusters:all/)
  }
  assert.equal((await call('GET', '/registries', { as: 'viewer' })).status, 200)
})

test('what a reader of metadata sees has no token in it', async (t) => {
  const { call, canary } = await apiScene(t)
  await call('POST', path, { body: generateBody })
  const seen: Record<string, string> = {}
  for (const list of [
    '/credentials',
    '/clusters',
    '/registries',
    '/pools',
    `/clusters/${clusterC.id}/pull-secrets/rotations`,
  ])
    seen[list] = (await call('GET', list)).text
  assertNoCanary(seen, canary)
})

test('tokens of every wrong kind are refused alike', async (t) => {
  const { call, issuer, clock } = await apiScene(t)
  const now = Math.floor(clock.now().getTime() / 1_000)
  const good = await issuer.token(operator)
  const [header = '', payload = '', signature = ''] = good.split('.')
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const wrong: Record<string, string> = {
    'another issuer': await issuer.token({ ...operator, iss: 'https://elsewhere.example.com' }),
    'an unknown key': await issuer.token(operator, { key: 'unknown' }),
    'no signature': `${encoded({ alg: 'none' })}.${payload}.`,
    'a signature of another token': `${header}.${encoded({ ...operator, iss: issuer.issuerUrl, aud: issuer.audience, exp: now + 60 })}.${signature}`,
    'not yet valid': await issuer.token({ ...operator, nbf: now + 600 }),
    'no identity': await issuer.token({ groups: ['sre'] }),
    'an address nobody verified': await issuer.token({ ...operator, email_verified: false }),
    'no end': await issuer.token({ ...operator, exp: undefined }),
    'no JWT': 'hunter2',
  }
  for (const [name, token] of Object.entries(wrong)) {
    const answer = await call('GET', path, bearer(token))
    assert.deepEqual(told(answer), [401, 'HYPERFLEET-AUT-002'], name)
    assert.match(String(answer.headers['www-authenticate']), /^Bearer error="invalid_token"/, name)
    assert.ok(!answer.text.includes(token), name)
  }
  assert.deepEqual(told(await call('GET', path, bearer(good))), [404, 'HYPERFLEET-NTF-001'])
})

test('a token that has expired is told apart, also when it was good before', async (t) => {
  const { call, issuer, clock } = await apiScene(t)
  const token = await issuer.token(operator)
  assert.equal((await call('GET', '/registries', bearer(token))).status, 200)
  await clock.advance('59m')
  assert.equal((await call('GET', '/registries', bearer(token))).status, 200)
  await clock.advance('2m')
  assert.deepEqual(told(await call('GET', '/registries', bearer(token))), [401, 'HYPERFLEET-AUT-003'])
})

test('an issuer may change its keys at any time, and while they cannot be read nobody is told that a token is wrong', async (t) => {
  const { call, issuer } = await apiScene(t)
  assert.equal((await call('GET', '/registries', bearer(await issuer.token(operator)))).status, 200)
  await issuer.rotate()
  assert.equal((await call('GET', '/registries', bearer(await issuer.token(operator)))).status, 200)
  await issuer.rotate()
  const token = await issuer.token(operator)
  writeFileSync(issuer.jwksFile, 'half a fi')
  const away = await call('GET', '/registries', bearer(token))
  assert.deepEqual([...told(away), away.headers['retry-after']], [503, 'HYPERFLEET-SVC-001', '5'])
})

test('the pattern of the identity claim has to match the whole of it', async (t) => {
  const { issuer } = await apiScene(t)
  const strict = await apiScene(t, {
    access: {
      issuers: [
        {
          issuerUrl: issuer.issuerUrl,
          jwksFile: issuer.jwksFile,
          audience: issuer.audience,
          identityClaim: 'sub',
          identityClaimPattern: '[a-z]+',
        },
      ],
    },
  })
  const as = async (sub: string) =>
    (await strict.call('GET', '/registries', bearer(await issuer.token({ sub, groups: ['sre'] })))).status
  assert.deepEqual([await as('abc'), await as('abc1'), await as('1abc')], [200, 401, 401])
})

test('every read of tokens is audited by the name of who read, in the trace they came with', async (t) => {
  const { call, database } = await apiScene(t)
  const traceId = 'a1'.repeat(16)
  await call('POST', path, { body: generateBody, as: 'adapter' })
  const read = await call('GET', path, {
    as: 'adapter',
    headers: { traceparent: `00-${traceId}-${'b2'.repeat(8)}-01` },
  })
  assert.match(String(read.headers['traceparent']), new RegExp(`^00-${traceId}-(?!b2b2)[0-9a-f]{16}-01$`))
  const { rows } = await database.data.query(
    "SELECT actor, trace_id FROM credential_audit_log WHERE action = 'read' AND trace_id = $1",
    [traceId],
  )
  assert.ok(rows.length > 0)
  for (const row of rows) assert.deepEqual(row, { actor: 'adapter@example.com', trace_id: traceId })
})
