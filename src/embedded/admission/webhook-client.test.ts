import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { issueForServer, testAuthority } from '../../../test/support/control-plane/identities.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { Sans } from '../../pki/index.ts'
import type { WebhookCall } from './webhook-client.ts'
import { callWebhook, WebhookFailure } from './webhook-client.ts'

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void

async function start(t: TestContext, handler: Handler, sans: Partial<Sans> = { ipAddresses: ['127.0.0.1'] }) {
  const authority = await testAuthority('hook-ca')
  const { certPem, keyPem } = await issueForServer(authority, sans)
  const sockets = new Set<Socket>()
  const server = createServer({ cert: certPem, key: keyPem.reveal() }, async (request, response) => {
    handler(request, response, Buffer.concat(await Array.fromAsync<Buffer>(request)).toString())
  })
  server.on('secureConnection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const agent = new Agent({ keepAlive: true })
  t.after(() => {
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const url = `https://127.0.0.1:${port}/hook`
  const clock = new FakeClock()
  const call: WebhookCall = {
    clientConfig: { url, caBundle: Buffer.from(authority.certPem).toString('base64') },
    timeoutMs: 5_000,
    clock,
    resolveService: () => undefined,
    agent,
  }
  return { call, url, port, clock, sockets }
}

const answering =
  (body: string, status = 200): Handler =>
  (_request, response) => {
    response.writeHead(status)
    response.end(body)
  }

const failureOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'it was answered',
    (error) => {
      assert.ok(error instanceof WebhookFailure, String(error))
      return error.message
    },
  )

describe('calling a webhook', () => {
  test('posts the review with the timeout and gives the answer', async (t) => {
    const seen: unknown[] = []
    const { call } = await start(t, ({ method, url, headers }, response, body) => {
      seen.push(method, url, headers['content-type'], JSON.parse(body))
      response.end('{"kind":"Answer"}')
    })
    assert.deepEqual(await callWebhook(call, { kind: 'Question' }), { kind: 'Answer' })
    assert.deepEqual(seen, ['POST', '/hook?timeout=5s', 'application/json', { kind: 'Question' }])
  })

  const struct =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
  const notJson = (why: string) => `couldn't get version/kind; json parse error: ${why}`
  const answers: [what: string, handler: Handler, told: string][] = [
    ['a 404', answering('nope', 404), 'the server could not find the requested resource'],
    [
      'a 500',
      answering('some "trouble"', 500),
      'an error on the server ("some \\"trouble\\"") has prevented the request from succeeding',
    ],
    ['a 403', answering('not you', 403), 'not you'],
    ['a 503', answering('', 503), 'the server is currently unable to handle the request'],
    ['a redirect', answering('', 302), 'the server responded with the status code 302 but did not return more details'],
    ['a Status', answering('{"kind":"Status","message":"boo"}', 500), 'boo'],
    ['nothing', answering(''), '0-length response with status code: 200 and content type: application/json'],
    ['a list', answering('[]'), notJson(`json: cannot unmarshal array into Go value of type ${struct}`)],
    ['a page', answering('<html>'), notJson(`json: cannot unmarshal string into Go value of type ${struct}`)],
    ['half of it', answering('{"a":'), notJson('unexpected end of JSON input')],
    [
      'too much',
      (_, response) => response.end(`{"a":"${'x'.repeat(16 * 2 ** 20)}"}`),
      'the response is longer than 16777216 bytes',
    ],
  ]
  for (const [what, handler, told] of answers)
    test(`fails on ${what}`, async (t) => {
      const { call } = await start(t, handler)
      assert.equal(await failureOf(callWebhook(call, {})), told)
    })

  test('takes null for an empty object', async (t) => {
    const { call } = await start(t, answering('null'))
    assert.deepEqual(await callWebhook(call, {}), {})
  })

  test('gives up after its time, before an answer and in the middle of it', async (t) => {
    const arrived = Promise.withResolvers<void>()
    const { call, url, clock } = await start(t, () => arrived.resolve())
    const asked = failureOf(callWebhook(call, {}))
    await arrived.promise
    await clock.advance(5_000)
    assert.equal(await asked, `Post "${url}?timeout=5s": context deadline exceeded`)
    assert.equal(clock.nextDue, undefined)

    const begun = Promise.withResolvers<void>()
    const slow = await start(t, (_, response) => response.write('{', () => begun.resolve()))
    const read = failureOf(callWebhook(slow.call, {}))
    await begun.promise
    await slow.clock.settle(50)
    await slow.clock.advance(5_000)
    assert.match(await read, /context deadline exceeded$/)
  })

  test('tells who could not be reached', async (t) => {
    const { call } = await start(t, answering('{}'))
    const at = (url: string) => failureOf(callWebhook({ ...call, clientConfig: { ...call.clientConfig, url } }, {}))
    assert.equal(
      await at('https://127.0.0.1:1/x'),
      'Post "https://127.0.0.1:1/x?timeout=5s": dial tcp 127.0.0.1:1: connect: connection refused',
    )
    assert.equal(await at('http://127.0.0.1:1/x'), '"http://127.0.0.1:1/x" is not https')
  })

  test('trusts nobody but whom the bundle vouches for, under the name that was asked for', async (t) => {
    const { call, url, port } = await start(t, answering('{}'), { dnsNames: ['a.example', 'b.example'] })
    const failed = (shown: string, why: string) =>
      `Post "${shown}?timeout=5s": tls: failed to verify certificate: ${why}`
    const { certPem } = await testAuthority('another-ca')
    const stranger = { url, caBundle: Buffer.from(certPem).toString('base64') }
    const unknown = 'x509: certificate signed by unknown authority'
    assert.equal(await failureOf(callWebhook({ ...call, clientConfig: stranger }, {})), failed(url, unknown))
    assert.equal(await failureOf(callWebhook({ ...call, clientConfig: { url } }, {})), failed(url, unknown))
    const named = { ...call.clientConfig, url: `https://localhost:${port}/` }
    assert.equal(
      await failureOf(callWebhook({ ...call, clientConfig: named }, {})),
      failed(`https://localhost:${port}/`, 'x509: certificate is valid for a.example, b.example, not localhost'),
    )
  })

  test('asks again, once, where a kept connection had been closed meanwhile', async (t) => {
    let asked = 0
    const { call, url, sockets } = await start(t, (request, response) => {
      asked++
      if (asked === 2 || asked > 3) request.socket.destroy()
      else response.end('{}')
    })
    await callWebhook(call, {})
    assert.deepEqual(await callWebhook(call, {}), {})
    assert.deepEqual([asked, sockets.size], [3, 2])
    assert.equal(await failureOf(callWebhook({ ...call, agent: new Agent() }, {})), `Post "${url}?timeout=5s": EOF`)
  })

  test('finds a service where it is told to, and expects its name in the certificate', async (t) => {
    const { call, port } = await start(
      t,
      ({ headers, url }, response) => response.end(JSON.stringify({ host: headers.host, url })),
      { dnsNames: ['hook.home.svc'] },
    )
    const caBundle = `${call.clientConfig.caBundle}`
    const service = { namespace: 'home', name: 'hook', path: '/admit' }
    const ask = (name: string, address: string | undefined) =>
      callWebhook(
        { ...call, clientConfig: { service: { ...service, name }, caBundle }, resolveService: () => address },
        {},
      )
    const address = `127.0.0.1:${port}`
    assert.deepEqual(await ask('hook', address), { host: 'hook.home.svc', url: '/admit?timeout=5s' })
    assert.equal(
      await failureOf(ask('gone', undefined)),
      'Post "https://gone.home.svc:443/admit?timeout=5s": service "gone" not found',
    )
    assert.match(await failureOf(ask('other', address)), /valid for hook.home.svc, not other.home.svc$/)
  })
})
