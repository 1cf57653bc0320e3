import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { eventually } from '../../../../test/support/eventually.ts'
import { isFailure } from '../../../core/failure.ts'
import { Secret } from '../../../core/secret.ts'
import { clientScene, get, put, remove } from './testing/client-scene.ts'

const html = '<html>CANARY</html>'
const thing = { name: 'a+b' }
const code = (wanted: string) => (error: unknown) => {
  assert.ok(isFailure(error, wanted), String(error))
  assert.ok(!error.message.includes('CANARY'))
  return true
}

test('sends the method, the encoded path, our token and JSON, and returns the answer', async (t) => {
  const { http, server, signal } = await clientScene(t)
  server.says({ status: 201, body: '{"token":"T"}' })
  const answer = await http.call(put('quay', thing), { repeat: 'create', signal, body: { a: 1 }, query: { b: 'c d' } })
  assert.deepEqual([answer.status, answer.json], [201, { token: 'T' }])
  const [{ method, path, headers, body } = assert.fail()] = server.heard
  assert.deepEqual([method, path, body], ['PUT', '/api/v1/things/a%2Bb?b=c+d', '{"a":1}'])
  assert.deepEqual([headers.authorization, headers['content-type']], ['Bearer first', 'application/json'])
})

test('sends text as text', async (t) => {
  const { http, server, signal } = await clientScene(t)
  await http.call(put('quay', thing), { repeat: 'safe', signal, text: Secret.of('pass') })
  assert.deepEqual([server.heard[0]?.body, server.heard[0]?.headers['content-type']], ['pass', 'text/plain'])
})

test('what is not JSON, and nothing at all, are answers', async (t) => {
  const { http, server, signal } = await clientScene(t)
  server.says({ status: 400, body: html }, { status: 204 })
  assert.deepEqual((await http.call(get('quay', thing), { repeat: 'safe', signal })).json, undefined)
  assert.equal((await http.call(remove('quay', thing), { repeat: 'safe', signal })).status, 204)
})

for (const status of [429, 502, 503, 504, 520])
  test(`a call that may be repeated is, after ${status}`, async (t) => {
    const { http, server, signal, within } = await clientScene(t)
    server.says({ status, body: html }, { status, body: html }, { status, body: html }, { status: 200, body: '{}' })
    assert.equal((await within(http.call(get('quay', thing), { repeat: 'safe', signal }))).status, 200)
    assert.equal(server.heard.length, 4)
  })

test('pauses double between repeats: half a second, one, two', async (t) => {
  const { http, server, clock, signal, within } = await clientScene(t)
  server.says({ status: 502 }, { status: 502 }, { status: 502 }, { status: 200 })
  const startedAt = clock.now().getTime()
  await within(http.call(get('quay', thing), { repeat: 'safe', signal }))
  assert.equal(Math.round((clock.now().getTime() - startedAt) / 100), 35)
})

test('gives up after three repeats', async (t) => {
  const { http, server, signal, within } = await clientScene(t)
  server.says({ status: 503, body: html })
  await assert.rejects(within(http.call(get('quay', thing), { repeat: 'safe', signal })), code('REGISTRY_UNAVAILABLE'))
  assert.equal(server.heard.length, 4)
})

test('a 500 is not repeated', async (t) => {
  const { http, server, signal } = await clientScene(t)
  server.says({ status: 500, body: html })
  await assert.rejects(http.call(get('quay', thing), { repeat: 'safe', signal }), code('REGISTRY_UNAVAILABLE'))
  await assert.rejects(http.call(remove('quay', thing), { repeat: 'safe', signal }), code('REGISTRY_UNCERTAIN'))
  assert.equal(server.heard.length, 2)
})

for (const said of [{ status: 500 }, { status: 502 }, { status: 503 }, 'drop', 'huge'] as const)
  test(`a create is sent once when ${JSON.stringify(said)} may have come after its effect`, async (t) => {
    const { http, server, signal } = await clientScene(t)
    server.says(said)
    await assert.rejects(http.call(put('quay', thing), { repeat: 'create', signal }), code('REGISTRY_UNCERTAIN'))
    assert.equal(server.heard.length, 1)
  })

test('a create that was turned away by 429 is sent again', async (t) => {
  const { http, server, signal, within } = await clientScene(t)
  server.says({ status: 429, body: html }, { status: 201, body: '{}' })
  assert.equal((await within(http.call(put('quay', thing), { repeat: 'create', signal }))).status, 201)
})

test('a connection that is lost before an answer is repeated where that is safe', async (t) => {
  const { http, server, signal, within } = await clientScene(t)
  server.says('drop', 'drop', { status: 204 })
  assert.equal((await within(http.call(remove('quay', thing), { repeat: 'safe', signal }))).status, 204)
})

test('a doubt about the first call is not forgotten when its repeat is turned away', async (t) => {
  const { http, server, signal, within } = await clientScene(t)
  server.says('drop', { status: 429 })
  await assert.rejects(within(http.call(remove('quay', thing), { repeat: 'safe', signal })), code('REGISTRY_UNCERTAIN'))
  server.says('drop', { status: 401 })
  await assert.rejects(within(http.call(remove('quay', thing), { repeat: 'safe', signal })), code('REGISTRY_UNCERTAIN'))
})

test('no connection: it did not happen', async (t) => {
  const { http, signal, within } = await clientScene(t, { baseUrl: 'http://127.0.0.1:1' })
  await assert.rejects(
    within(http.call(put('quay', thing), { repeat: 'create', signal })),
    code('REGISTRY_UNAVAILABLE'),
  )
})

test('no answer within ten seconds: nobody knows, and it is not repeated', async (t) => {
  const { http, server, clock, signal } = await clientScene(t)
  server.says('hang')
  const call = assert.rejects(http.call(get('quay', thing), { repeat: 'safe', signal }), code('REGISTRY_UNCERTAIN'))
  await eventually('the server has the call', () => server.heard.length === 1)
  await clock.advance('10s')
  await call
  assert.equal(server.heard.length, 1)
})

test('a redirect is not followed', async (t) => {
  const { http, server, signal } = await clientScene(t)
  server.says({ status: 302, headers: { location: `${server.url}/elsewhere` } })
  await assert.rejects(http.call(get('quay', thing), { repeat: 'safe', signal }), code('REGISTRY_REFUSED'))
  assert.equal(server.heard.length, 1)
})

test('an answer of more than a MiB is refused', async (t) => {
  const { http, server, signal } = await clientScene(t)
  server.says('huge')
  await assert.rejects(http.call(get('quay', thing), { repeat: 'safe', signal }), code('REGISTRY_REFUSED'))
})

test('what no route made is not sent', async (t) => {
  const { http, server, signal } = await clientScene(t)
  await assert.rejects(http.call({ method: 'DELETE', path: '/..' }, { repeat: 'safe', signal }), TypeError)
  assert.equal(server.heard.length, 0)
})

test('a call ends with its signal', async (t) => {
  const { http, server, signal, stop } = await clientScene(t)
  server.says('hang')
  const call = assert.rejects(http.call(get('quay', thing), { repeat: 'safe', signal }), { message: 'stopped' })
  await eventually('the server has the call', () => server.heard.length === 1)
  stop()
  await call
})

test('Retry-After holds every call to the registry off', async (t) => {
  const { http, background, server, clock, signal, within } = await clientScene(t)
  server.says({ status: 429, headers: { 'retry-after': '2' } }, { status: 200 })
  const startedAt = clock.now().getTime()
  const first = http.call(get('quay', thing), { repeat: 'safe', signal })
  await eventually('the first was turned away', () => server.heard.length === 1)
  await clock.settle()
  await within(Promise.all([first, background.call(get('quay', { name: 'other' }), { repeat: 'safe', signal })]))
  assert.ok(clock.now().getTime() - startedAt >= 2_000)
})

test('who would have to wait longer than anybody does is told so at once', async (t) => {
  const { http, server, clock, signal } = await clientScene(t)
  server.says({ status: 429, headers: { 'retry-after': '3600' } })
  const call = http.call(get('quay', thing), { repeat: 'safe', signal })
  const told = assert.rejects(call, (error) => {
    assert.ok(isFailure(error, 'REGISTRY_UNAVAILABLE'))
    // At most a minute of what was asked is honoured, and some of it has passed.
    const seconds = Number(error.params['retryAfterSeconds'])
    return seconds > 50 && seconds <= 60
  })
  await eventually('the first was turned away', () => server.heard.length === 1)
  await clock.advance('1s')
  await told
  assert.equal(server.heard.length, 1)
})

test('our own credentials are refused: one call, then none until the file changes', async (t) => {
  const { http, server, signal, tokenFile, metrics, logged } = await clientScene(t)
  server.says({ status: 401, body: html })
  const call = () => http.call(get('quay', thing), { repeat: 'safe', signal })
  for (let times = 0; times < 5; times++) await assert.rejects(call(), code('REGISTRY_UNAUTHORIZED'))
  assert.equal(server.heard.length, 1)
  assert.match(await metrics.text(), /lanyard_pull_registry_unauthorized_state\{registry="quay"\} 1/)
  server.says({ status: 200, body: '{}' })
  writeFileSync(tokenFile, 'second-token')
  assert.equal((await call()).status, 200)
  assert.equal(server.heard.at(-1)?.headers.authorization, 'Bearer second-token')
  assert.match(await metrics.text(), /lanyard_pull_registry_unauthorized_state\{registry="quay"\} 0/)
  assert.doesNotMatch(logged(), /second-token|CANARY/)
})

test('refused credentials are tried again after a while', async (t) => {
  const { http, server, signal, clock } = await clientScene(t)
  server.says({ status: 403 }, { status: 200 })
  const call = () => http.call(get('quay', thing), { repeat: 'safe', signal })
  await assert.rejects(call(), code('REGISTRY_UNAUTHORIZED'))
  await clock.advance('29s')
  await assert.rejects(call(), code('REGISTRY_UNAUTHORIZED'))
  await clock.advance('1s')
  assert.equal((await call()).status, 200)
})

test('a file that cannot be read, or sent, is a matter of our credentials', async (t) => {
  const { http, server, signal, tokenFile } = await clientScene(t)
  for (const content of ['', 'a\u0000b', 'ü']) {
    writeFileSync(tokenFile, content)
    await assert.rejects(http.call(get('quay', thing), { repeat: 'safe', signal }), code('REGISTRY_UNAUTHORIZED'))
  }
  assert.equal(server.heard.length, 0)
})

test('the breaker opens after five failures, fails at once, lets one try after 30 s, and closes', async (t) => {
  const { http, server, signal, clock, metrics } = await clientScene(t)
  const state = async (level: number) =>
    assert.match(await metrics.text(), new RegExp(`lanyard_pull_registry_breaker_state\\{registry="quay"\\} ${level}`))
  const call = () => http.call(get('quay', thing), { repeat: 'safe', signal })
  server.says({ status: 500 })
  for (let times = 0; times < 5; times++) await assert.rejects(call(), code('REGISTRY_UNAVAILABLE'))
  await state(2)
  await assert.rejects(call(), {
    params: { registry: 'quay', detail: 'it has failed too often', retryAfterSeconds: 30 },
  })
  assert.equal(server.heard.length, 5)
  await clock.advance('30s')
  server.says('hang')
  const probe = assert.rejects(call(), code('REGISTRY_UNCERTAIN'))
  await eventually('the probe is under way', () => server.heard.length === 6)
  await state(1)
  await assert.rejects(call(), code('REGISTRY_UNAVAILABLE'))
  await clock.advance('10s')
  await probe
  await state(2)
  await clock.advance('30s')
  server.says({ status: 400 })
  assert.equal((await call()).status, 400)
  await state(0)
  assert.equal(server.heard.length, 7)
})
