import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertNoCanary } from '../../support/canary.ts'
import type { Call, CallAnswer } from '../../support/pull-secret-api.ts'
import { apiScene, generateBody } from '../../support/pull-secret-api.ts'
import { clusterC } from '../../support/pull-secret-scene.ts'

const path = `/clusters/${clusterC.id}/pull-secrets`
const told = ({ status, body }: CallAnswer) => [status, body.code]

test('a problem has everything that RFC 9457 and the standard of the fleet ask for', async (t) => {
  const { call, clock } = await apiScene(t)
  const traceId = 'c3'.repeat(16)
  const { body, headers } = await call('GET', `${path}?include_metadata=true`, {
    headers: { traceparent: `00-${traceId}-${'d4'.repeat(8)}-00` },
  })
  assert.deepEqual(body, {
    type: 'https://api.hyperfleet.io/errors/resource-not-found',
    title: 'Resource Not Found',
    status: 404,
    detail: `cluster ${clusterC.id} has no pull secret; POST makes one`,
    instance: `/api/hyperfleet/v1${path}`,
    code: 'HYPERFLEET-NTF-001',
    timestamp: clock.now().toISOString(),
    trace_id: traceId,
  })
  assert.deepEqual(
    [headers['content-type'], headers['cache-control'], headers['x-content-type-options']],
    ['application/problem+json', 'no-store', 'nosniff'],
  )
})

const wrong: [name: string, method: string, path: string, call: Call, status: number, code: string][] = [
  ['an unknown path', 'GET', '/nothing', {}, 404, 'NTF-001'],
  ['an unknown path from the root', 'GET', '//nothing', { as: null }, 404, 'NTF-001'],
  ['a verb that is not served', 'PUT', path, {}, 405, 'VAL-000'],
  ['HEAD, which would read tokens', 'HEAD', path, {}, 405, 'VAL-000'],
  ['no JSON', 'POST', path, { body: '{"region":' }, 400, 'VAL-003'],
  ['a list for an object', 'POST', path, { body: [] }, 400, 'VAL-002'],
  ['another media type', 'POST', path, { body: 'a=b', headers: { 'content-type': 'text/plain' } }, 415, 'VAL-003'],
  ['a body that is too large', 'POST', path, { body: { ...generateBody, owner: 'x'.repeat(70_000) } }, 413, 'VAL-003'],
  ['an unknown field', 'POST', path, { body: { ...generateBody, regoin: 'x' } }, 400, 'VAL-002'],
  ['a wrong type', 'POST', path, { body: { ...generateBody, region: 7 } }, 400, 'VAL-002'],
  ['a missing field', 'POST', path, { body: { cloud_provider: 'gcp' } }, 400, 'VAL-001'],
  ['an unknown parameter', 'GET', `${path}?x=1`, {}, 400, 'VAL-004'],
  ['a parameter of the wrong type', 'GET', `${path}?include_metadata=maybe`, {}, 400, 'VAL-004'],
  ['a page below the first', 'GET', '/credentials?page=0', {}, 400, 'VAL-004'],
  ['a page that is too large', 'GET', '/credentials?size=101', {}, 400, 'VAL-004'],
  ['a parameter twice', 'GET', '/credentials?size=1&size=2', {}, 400, 'VAL-004'],
  ['an id of a rotation that is none', 'GET', `${path}/rotations/x`, {}, 400, 'VAL-005'],
  ['a rotation that is not there', 'GET', `${path}/rotations/019a1b2c-3d4e-7f60-8a9b-0c1d2e3f4a5b`, {}, 404, 'NTF-001'],
  ['no reason for a suspension', 'POST', `${path}/suspend`, { body: {} }, 400, 'VAL-001'],
  ['an empty reason', 'POST', `${path}/suspend`, { body: { reason: '' } }, 400, 'VAL-002'],
  ['a reason that is too long', 'POST', `${path}/suspend`, { body: { reason: 'x'.repeat(1_025) } }, 400, 'VAL-002'],
  ['a pool of no registry', 'POST', '/pools/nowhere/fill', {}, 404, 'NTF-001'],
  ['a pool of an alias', 'POST', '/pools/cloud-openshift/fill', {}, 404, 'NTF-001'],
  [
    'a rotation of an unknown cluster',
    'POST',
    '/clusters/unknown/pull-secrets/rotations',
    { body: { reason: 'manual' } },
    404,
    'NTF-002',
  ],
]

test('whatever is wrong is told as a problem, also by the server itself', async (t) => {
  const { call } = await apiScene(t)
  for (const [name, method, at, sent, status, code] of wrong) {
    const answer = await call(method, at, sent)
    assert.deepEqual(told(answer), [status, `HYPERFLEET-${code}`], `${name}: ${answer.text}`)
    assert.equal(answer.headers['content-type'], 'application/problem+json', name)
  }
  assert.equal((await call('PUT', path)).headers['allow'], 'POST, GET, DELETE')
})

test('a registry that fails is told by its own code, with a time to try again, and nothing of what it said', async (t) => {
  const { call, quay, canary } = await apiScene(t)
  const said = { message: `internal trouble ${canary}` }
  quay.fail({ method: 'PUT', times: Number.POSITIVE_INFINITY, do: { answer: 429, body: said } })
  const away = await call('POST', path, { body: generateBody })
  assert.deepEqual(
    [away.status, away.body.code, away.body.type.split('/').at(-1)],
    [503, 'HYPERFLEET-SVC-002', 'service-unavailable'],
  )
  assert.ok(Number(away.headers['retry-after']) >= 1)
  quay.heal()
  quay.refuseOurs = true
  const other = await call('POST', '/clusters/other/pull-secrets', { body: generateBody })
  assert.deepEqual(told(other), [502, 'HYPERFLEET-SVC-004'])
  assertNoCanary({ away: away.text, other: other.text }, canary)
})

test('a suspended cluster is a conflict, whoever asks', async (t) => {
  const { call } = await apiScene(t)
  await call('POST', path, { body: generateBody })
  const suspended = await call('POST', `${path}/suspend`, { body: { reason: 'unpaid' } })
  assert.deepEqual([suspended.status, suspended.body.state], [200, 'suspended'])
  for (const [method, at, body] of [
    ['GET', path, undefined],
    ['POST', path, generateBody],
    ['POST', `${path}/rotations`, { reason: 'manual' }],
  ] as const)
    assert.deepEqual(told(await call(method, at, { body })), [409, 'HYPERFLEET-CNF-003'], `${method} ${at}`)
  const resumed = await call('POST', `${path}/resume`, { body: { reason: 'paid' } })
  assert.deepEqual([resumed.status, resumed.body.pull_secret, resumed.body.credentials.length], [200, undefined, 2])
  assert.equal((await call('GET', path)).status, 200)
})

test('what nobody foresaw is an internal error without any of it, and is in the log', async (t) => {
  const scene = await apiScene(t)
  scene.service.issuing.read = async () => {
    throw new Error('nobody should see this')
  }
  const answer = await scene.call('GET', path)
  assert.deepEqual(told(answer), [500, 'HYPERFLEET-INT-001'])
  assert.ok(!answer.text.includes('nobody'))
  const line = scene
    .logged()
    .split('\n')
    .find((one) => one.includes('nobody should see this'))
  assert.ok(line?.includes(answer.body.trace_id))
})

test('each request is one line in the log and one count, without bodies, queries or tokens', async (t) => {
  const { call, logged, metrics, token, canary } = await apiScene(t)
  await call('POST', path, { body: { ...generateBody, owner: 'nobody-sees-this' } })
  await call('GET', `/credentials?search=${encodeURIComponent("username = 'nobody-sees-this'")}`)
  await call('GET', '/nothing')
  const lines = logged()
    .split('\n')
    .filter((line) => line.includes('request answered'))
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ operation, status, caller }) => [operation, status, caller]),
    [
      ['generatePullSecret', 201, 'operator@example.com'],
      ['listCredentials', 200, 'operator@example.com'],
      [undefined, 404, undefined],
    ],
  )
  assert.ok(!logged().includes('nobody-sees-this'))
  assertNoCanary({ log: logged() }, [canary, await token('operator')])
  const text = await metrics.text()
  assert.match(text, /lanyard_pull_requests_total\{operation="generatePullSecret",status="2xx"\} 1/)
  assert.match(text, /lanyard_pull_requests_total\{operation="other",status="4xx"\} 1/)
  assert.match(text, /lanyard_pull_request_seconds_count\{operation="listCredentials"\} 1/)
})
