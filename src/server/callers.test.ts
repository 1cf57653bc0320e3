import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as http2Connect } from 'node:http2'
import type { Socket } from 'node:net'
import { connect as netConnect } from 'node:net'
import { describe, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { connect as tlsConnect } from 'node:tls'
import { issueForClient, testAuthority } from '../../test/support/control-plane/identities.ts'
import { eventually } from '../../test/support/eventually.ts'
import type { TestScope } from '../../test/support/test-scope.ts'
import { teardown } from '../../test/support/test-scope.ts'
import type { AdmissionWebhook } from '../fleet/admission.ts'
import type { Authority } from '../pki/index.ts'
import type { ServeOptions } from './serve.ts'
import type { Question } from './testing/ask.ts'
import { ask, askHttp2 } from './testing/ask.ts'
import { servingScene } from './testing/scene.ts'

const asJson = { 'content-type': 'application/json' }
const codeOf = (body: string) => JSON.parse(body).code
const review = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u1', operation: 'CREATE', userInfo: { username: 'a' } },
}

/** One that lets all pass, and counts what it was asked. */
function countingWebhook() {
  const hook = { asked: 0 }
  const webhook: AdmissionWebhook = {
    ...{ type: 'validating', name: 'test', path: '/admit', rules: [] },
    decide: async () => {
      hook.asked += 1
      return { allowed: true }
    },
  }
  return { hook, webhook }
}

async function scene(t: TestScope, { names = [], ...options }: Partial<ServeOptions> & { names?: string[] } = {}) {
  const authority = await testAuthority('apiserver-client-ca')
  const trusted = { ca: authority.certPem }
  const { hook, webhook } = countingWebhook()
  const served = await servingScene(t, {
    webhooks: [webhook],
    convert: (asked) => ({ converted: asked }),
    callers: { ca: async () => trusted.ca, names },
    ...options,
  })
  const by = async (issuer: Authority, name: string): Promise<Question> => {
    const { certPem, keyPem } = await issueForClient(issuer, { commonName: name })
    return { cert: certPem, key: keyPem.reveal() }
  }
  const post = (path: string, question: Question = {}) =>
    ask(`${served.url}${path}`, served.caPem, {
      ...{ method: 'POST', headers: asJson, body: JSON.stringify(review) },
      ...question,
    })
  return { ...served, authority, trusted, hook, by, post }
}

describe('the client certificate of an API server', () => {
  test('F12a: a webhook answers clients that show one, and looks at nothing that others send', async (t) => {
    const { authority, by, post, hook, url, caPem } = await scene(t)
    const stranger = await testAuthority('another-ca')
    for (const question of [{}, await by(stranger, 'kube-apiserver')]) {
      const { status, body } = await post('/admit', question)
      assert.deepEqual([status, codeOf(body)], [401, 'SERVER_UNKNOWN_CALLER'])
      // Not even whether it is a review.
      assert.equal((await post('/admit', { ...question, body: '{', headers: {} })).status, 401)
    }
    assert.equal(hook.asked, 0)
    const own = await by(authority, 'kube-apiserver')
    assert.equal(JSON.parse((await post('/admit', own)).body).response.allowed, true)
    const byHttp2 = { method: 'POST', headers: asJson, body: JSON.stringify(review) }
    assert.equal((await askHttp2(`${url}/admit`, caPem, { ...byHttp2, ...own })).status, 200)
    assert.equal((await askHttp2(`${url}/admit`, caPem, byHttp2)).status, 401)
    assert.equal(hook.asked, 2)
  })

  test('F12b: where names are given, one of them has to be in it', async (t) => {
    const { authority, by, post } = await scene(t, { names: ['kube-apiserver', 'other-apiserver'] })
    assert.equal((await post('/admit', await by(authority, 'other-apiserver'))).status, 200)
    assert.equal((await post('/admit', await by(authority, 'system:node:west'))).status, 401)
  })

  test('F12c: probes, metrics and conversion are answered without one', async (t) => {
    const { ask: asking, post } = await scene(t, { checks: { ready: { synced: () => undefined } } })
    for (const path of ['/healthz', '/livez', '/readyz']) assert.equal((await asking(path)).status, 200, path)
    assert.equal((await post('/convert')).status, 200)
  })

  test('F12d: other authorities count for new connections within a minute; what cannot be read changes nothing', async (t) => {
    let unreadable = false
    const first = await testAuthority('first')
    const trusted = { ca: first.certPem }
    const made = await scene(t, {
      callers: {
        names: [],
        ca: async () => {
          if (unreadable) throw new Error('half written')
          return trusted.ca
        },
      },
    })
    const second = await testAuthority('second')
    const [one, two] = [await made.by(first, 'a'), await made.by(second, 'a')]
    const statuses = async () => [(await made.post('/admit', one)).status, (await made.post('/admit', two)).status]
    assert.deepEqual(await statuses(), [200, 401])
    unreadable = true
    await made.clock.advance('60s')
    await eventually('the log has it', () => made.lines.some((line) => line.includes('cannot be read')))
    assert.deepEqual(await statuses(), [200, 401])
    unreadable = false
    trusted.ca = second.certPem
    await made.clock.advance('60s')
    await eventually('it is followed', () => made.lines.some((line) => line.includes('other authorities')))
    assert.deepEqual(await statuses(), [401, 200])
  })
})

describe('what the server holds for clients without a certificate', () => {
  const quiet = <S extends Socket>(t: TestScope, socket: S): S => {
    teardown(t, () => void socket.destroy())
    // Read, so that an end is seen.
    return socket.on('error', () => {}).resume()
  }
  const tlsTo = async (t: TestScope, port: number, ca: string): Promise<TLSSocket> => {
    const socket = quiet(t, tlsConnect({ host: '127.0.0.1', port, ca }))
    await once(socket, 'secureConnect')
    return socket
  }
  const opened = async (t: TestScope, port: number): Promise<Socket> => {
    const socket = quiet(t, netConnect({ host: '127.0.0.1', port }))
    await once(socket, 'connect')
    return socket
  }

  test('F12e: a client that holds connections keeps no other out: those that wait longest make room', async (t) => {
    const { post, port, hook } = await scene(t, {
      callers: undefined,
      limits: { connections: 3, bodyBytes: 1_000_000 },
    })
    const held: Socket[] = []
    for (let count = 0; count < 10; count += 1) held.push(await opened(t, port))
    await eventually(
      'no more are held',
      () => held.filter(({ destroyed, closed }) => !destroyed && !closed).length <= 3,
    )
    assert.equal((await post('/admit')).status, 200)
    assert.equal(hook.asked, 1)
  })

  test('F12f: the connection of an API server that has shown its certificate never makes room', async (t) => {
    const made = await scene(t, { limits: { connections: 3, bodyBytes: 1_000_000 } })
    const own = await made.by(made.authority, 'kube-apiserver')
    const session = http2Connect(made.url, { ca: made.caPem, ...own })
    teardown(t, () => void session.destroy())
    await once(session, 'connect')
    const held: Socket[] = []
    for (let count = 0; count < 10; count += 1) held.push(await opened(t, made.port))
    await eventually(
      'no more are held',
      () => held.filter(({ destroyed, closed }) => !destroyed && !closed).length <= 3,
    )
    const stream = session.request({ ':method': 'POST', ':path': '/admit', ...asJson })
    stream.end(JSON.stringify(review))
    const [head] = (await once(stream, 'response')) as [Record<string, unknown>]
    assert.equal(head[':status'], 200)
  })

  test('F12g: bodies that fill what is held make room, the longest first, and a review is answered', async (t) => {
    const { post, port, caPem, hook } = await scene(t, {
      callers: undefined,
      limits: { connections: 100, bodyBytes: 256 * 1024 },
    })
    const head = (bytes: number) =>
      `POST /admit HTTP/1.1\r\nhost: hub\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`
    const answers: string[] = []
    for (let count = 0; count < 8; count += 1) {
      const socket = await tlsTo(t, port, caPem)
      socket.on('data', (chunk: Buffer) => void answers.push(chunk.toString().split('\r\n')[0] ?? ''))
      socket.write(head(1_000_000) + 'x'.repeat(60_000))
    }
    await eventually('the longest are refused', () => answers.length >= 4)
    assert.ok(answers.every((line) => line.includes('503')))
    assert.equal((await post('/admit')).status, 200)
    assert.equal(hook.asked, 1)
  })

  test('F12h: a body that comes slower than 16 KiB a second is refused after 5 seconds', async (t) => {
    const { clock, port, caPem } = await scene(t, { callers: undefined })
    const socket = await tlsTo(t, port, caPem)
    const answered = once(socket, 'data')
    socket.write('POST /admit HTTP/1.1\r\nhost: hub\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{')
    await eventually(
      'it is waited for',
      () => clock.nextDue && clock.nextDue.getTime() - clock.now().getTime() === 5_000,
    )
    await clock.advance('5s')
    const [chunk] = (await answered) as [Buffer]
    assert.match(chunk.toString(), /^HTTP\/1\.1 408 /)
    assert.match(chunk.toString(), /SERVER_BODY_SLOW/)
  })
})
