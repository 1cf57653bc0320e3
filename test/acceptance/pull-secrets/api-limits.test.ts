import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiScene, generateBody } from '../../support/pull-secret-api.ts'
import { clusterC } from '../../support/pull-secret-scene.ts'

const path = `/clusters/${clusterC.id}/pull-secrets`

test('a caller may call twenty times at once and a hundred times a minute, and is told what is left', async (t) => {
  const { call, clock } = await apiScene(t, { limits: {} })
  for (let left = 19; left >= 0; left -= 1) {
    const { status, headers } = await call('GET', '/registries', { as: 'reader' })
    assert.deepEqual(
      [status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']],
      [200, '100', String(left)],
    )
  }
  const over = await call('GET', '/registries', { as: 'reader' })
  assert.deepEqual(
    [
      over.status,
      over.body.code,
      over.headers['retry-after'],
      over.headers['x-ratelimit-remaining'],
      over.headers['x-ratelimit-reset'],
    ],
    [429, 'HYPERFLEET-LMT-001', '1', '0', '12'],
  )
  assert.equal((await call('GET', '/registries', { as: 'operator' })).status, 200)
  await clock.advance('1s')
  assert.equal((await call('GET', '/registries', { as: 'reader' })).status, 200)
  assert.equal((await call('GET', '/registries', { as: 'reader' })).status, 429)
})

test('who may not call at all costs nobody their calls, and is not limited by them', async (t) => {
  const { call } = await apiScene(t, { limits: { burst: 1 } })
  for (let n = 0; n < 5; n += 1) assert.equal((await call('GET', path, { as: 'reader' })).status, 403)
  for (let n = 0; n < 5; n += 1) assert.equal((await call('GET', path, { as: null })).status, 401)
  assert.equal((await call('GET', '/registries', { as: 'reader' })).status, 200)
})

test('a caller starts ten rotations an hour, never more', async (t) => {
  const { call, clock, quay } = await apiScene(t, { limits: { burst: 1_000, perMinute: 100_000 } })
  await call('POST', path, { body: generateBody })
  for (let n = 0; n < 10; n += 1) {
    const { status, body } = await call('POST', `${path}/rotations`, { body: { reason: 'manual' } })
    assert.equal(status, 201)
    await call('POST', `${path}/rotations/${body.id}/cancel`)
    await clock.advance('1m')
  }
  const over = await call('POST', `${path}/rotations`, { body: { reason: 'manual' } })
  assert.deepEqual(
    [over.status, over.body.code, over.headers['retry-after'], over.headers['x-ratelimit-limit']],
    [429, 'HYPERFLEET-LMT-001', String(50 * 60), '10'],
  )
  assert.equal((await call('GET', `${path}/rotations`)).status, 200)
  await clock.advance('50m')
  assert.equal((await call('POST', `${path}/rotations`, { body: { reason: 'manual' } })).status, 201)
  assert.ok(quay.calls.length > 0)
})
