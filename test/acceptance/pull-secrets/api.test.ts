import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:http'
import { test } from 'node:test'
import { restServer } from '../../../src/server/rest/index.ts'
import type { ApiScene } from '../../support/pull-secret-api.ts'
import { apiScene, generateBody } from '../../support/pull-secret-api.ts'
import { clusterC } from '../../support/pull-secret-scene.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { teardown } from '../../support/test-scope.ts'

const path = `/clusters/${clusterC.id}/pull-secrets`

const registryCalls = ({ quay, redhat }: ApiScene): number => quay.calls.length + redhat.calls.length

test('P4: a cluster without credentials has no pull secret, and no registry is asked', async (t) => {
  const scene = await apiScene(t)
  const { status, headers, body } = await scene.call('GET', path)
  assert.deepEqual(
    [status, headers['content-type'], body.code],
    [404, 'application/problem+json', 'HYPERFLEET-NTF-001'],
  )
  assert.equal(registryCalls(scene), 0)
})

test('P5: with the ETag of an answer before nothing is sent again, and nothing is kept by anybody on the way', async (t) => {
  const { call } = await apiScene(t)
  const made = await call('POST', path, { body: generateBody, as: 'adapter' })
  assert.equal(made.status, 201)
  const read = await call('GET', path, { as: 'adapter' })
  assert.deepEqual(
    [read.status, read.headers['cache-control'], read.headers['etag']],
    [200, 'no-store', made.headers['etag']],
  )
  assert.deepEqual(read.body.pull_secret, made.body.pull_secret)
  for (const tag of [
    String(read.headers['etag']),
    String(read.headers['etag']).replace('W/', ''),
    `"x", ${read.headers['etag']}`,
    '*',
  ]) {
    const again = await call('GET', path, { headers: { 'if-none-match': tag } })
    assert.deepEqual([again.status, again.text, again.headers['cache-control']], [304, '', 'no-store'])
  }
  assert.equal((await call('GET', path, { headers: { 'if-none-match': '"other"' } })).status, 200)
})

test('what is sent is the whole document, with metadata when asked for', async (t) => {
  const { call } = await apiScene(t)
  const made = await call('POST', path, { body: generateBody })
  assert.deepEqual(
    [made.status, made.headers['location'], made.body.kind, made.body.cluster_id, made.body.id],
    [201, `/api/hyperfleet/v1${path}`, 'PullSecret', clusterC.id, clusterC.id],
  )
  assert.deepEqual(
    made.body.credentials.map((one: { registry_id: string; state: string }) => [one.registry_id, one.state]).sort(),
    [
      ['quay', 'active'],
      ['redhat', 'active'],
    ],
  )
  assert.equal((await call('GET', path)).body.credentials, undefined)
  assert.equal((await call('GET', `${path}?include_metadata=true`)).body.credentials.length, 2)
  const again = await call('POST', path, { body: generateBody })
  assert.deepEqual([again.status, again.body.pull_secret], [200, made.body.pull_secret])
})

test('P6: a part of the registries is made alone, with its aliases; one that is not there is named', async (t) => {
  const scene = await apiScene(t)
  const { status, body } = await scene.call('POST', path, { body: { ...generateBody, registries: ['quay'] } })
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(body.pull_secret.auths).sort(), ['cloud.openshift.com', 'quay.io'])
  assert.equal(scene.redhat.calls.length, 0)
  const unknown = await scene.call('POST', path, { body: { ...generateBody, registries: ['quay', 'nowhere'] } })
  assert.deepEqual([unknown.status, unknown.body.code], [400, 'HYPERFLEET-VAL-002'])
  assert.deepEqual(
    unknown.body.errors.map((one: { field: string }) => one.field),
    ['registries'],
  )
})

test('P7: what is wrong with a body is told at once, field by field, and nothing is made', async (t) => {
  const scene = await apiScene(t)
  const { status, body } = await scene.call('POST', path, { body: { cloud_provider: 'foo' } })
  assert.deepEqual([status, body.code], [400, 'HYPERFLEET-VAL-000'])
  assert.deepEqual(
    body.errors.map(({ field, constraint }: { field: string; constraint: string }) => [field, constraint]).sort(),
    [
      ['cloud_provider', 'enum'],
      ['region', 'required'],
    ],
  )
  assert.equal(registryCalls(scene), 0)
  const rows = await scene.database.data.query(
    'SELECT id FROM registry_credentials UNION ALL SELECT id FROM credential_intents',
  )
  assert.equal(rows.rowCount, 0)
})

const hostile = [
  '..%2F..',
  '..%2f..%2fx',
  '%2e%2e',
  '..',
  '.',
  'a%2Fb',
  'a/b',
  'a%5Cb',
  'a%00b',
  '%41',
  'a%20b',
  '-a',
  'a-',
  '%zz',
  'é',
  'x'.repeat(254),
]
const verbs = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD']

test('P8: an id that could mean another path is refused for every verb, and no registry is asked', async (t) => {
  const scene = await apiScene(t)
  const { url } = await listening(t, scene)
  const token = await scene.token('operator')
  for (const id of hostile)
    for (const method of verbs) {
      const answer = await raw(url, method, `/api/hyperfleet/v1/clusters/${id}/pull-secrets`, token)
      const code = method === 'HEAD' ? 'HYPERFLEET-VAL-005' : answer.code
      assert.deepEqual([answer.status, code], [400, 'HYPERFLEET-VAL-005'], `${method} ${id}`)
    }
  assert.equal(registryCalls(scene), 0)
})

test('P11: a region that makes no legal name is refused before Quay is asked', async (t) => {
  const scene = await apiScene(t)
  const body = { cloud_provider: 'gcp', region: 'x'.repeat(240) }
  const answer = await scene.call('POST', path, { body })
  assert.deepEqual([answer.status, answer.body.code], [400, 'HYPERFLEET-VAL-002'])
  assert.deepEqual(
    answer.body.errors.map((one: { field: string }) => one.field),
    ['region'],
  )
  assert.equal(scene.quay.calls.length, 0)
})

/** The API on a port of its own: what is put in between normalises paths. */
async function listening(t: TestScope, scene: ApiScene) {
  const server = restServer({ ...scene.appOptions, listen: { host: '127.0.0.1', port: 0 } })
  const stop = new AbortController()
  const run = server.run(stop.signal)
  teardown(t, async () => {
    stop.abort()
    await run
  })
  return await server.listening
}

async function raw(url: string, method: string, rawPath: string, token: string) {
  const { hostname, port } = new URL(url)
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = request(
      {
        host: hostname,
        port,
        method,
        path: Buffer.from(rawPath).toString('latin1'),
        headers: { authorization: `Bearer ${token}` },
      },
      resolve,
    )
    asked.once('error', reject)
    asked.end()
  })
  const chunks = await Array.fromAsync(answer)
  const text = Buffer.concat(chunks as Buffer[]).toString()
  return { status: answer.statusCode, code: text === '' ? undefined : JSON.parse(text).code }
}
