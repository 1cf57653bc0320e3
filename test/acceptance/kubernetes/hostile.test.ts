/** Requests that nobody friendly makes: the same bytes go to both control planes, and both say the same. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { connect } from 'node:tls'
import { systemClock } from '../../../src/core/clock.ts'
import { serviceAccounts } from '../../../src/kube/kinds.ts'
import { createAuthority, generateKey, issueCertificate } from '../../../src/pki/index.ts'
import { aServiceAccount } from '../../support/builders.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { rawRequest } from '../../support/raw-request.ts'
import { teardown } from '../../support/test-scope.ts'

interface Told {
  code: number
  contentType: string
  /** Of a Status; empty for anything else. */
  reason: string
}

interface Sending {
  isStranger?: boolean
  certificate?: { certPem: string; keyPem: string }
}

function open(t: TestContext, plane: ControlPlane, { isStranger = false, certificate }: Sending = {}): TLSSocket {
  const admin = { cert: plane.admin.certPem, key: plane.admin.keyPem.reveal() }
  const shown = certificate ? { cert: certificate.certPem, key: certificate.keyPem } : isStranger ? {} : admin
  const { port } = new URL(plane.url)
  const socket = connect({
    host: '127.0.0.1',
    port: Number(port),
    ca: plane.caPem,
    ALPNProtocols: ['http/1.1'],
    ...shown,
  })
  socket.on('error', () => {})
  teardown(t, () => void socket.destroy())
  return socket
}

/** What comes back for these very bytes. */
function send(t: TestContext, plane: ControlPlane, bytes: Buffer, sending?: Sending): Promise<Told> {
  const socket = open(t, plane, sending)
  let received = ''
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`no answer within 10 s; so far: ${received.slice(0, 200)}`)),
      10_000,
    )
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    socket.once('close', () => {
      clearTimeout(timer)
      resolve(read(received))
    })
    socket.write(bytes)
  })
}

function read(received: string): Told {
  const at = received.indexOf('\r\n\r\n')
  const head = received.slice(0, at)
  return {
    code: Number(/^HTTP\/1\.[01] (\d+)/.exec(head)?.[1] ?? 0),
    contentType: /^content-type: (.*)$/im.exec(head)?.[1] ?? '',
    reason: /"kind": ?"Status".*?"reason": ?"(\w+)"/s.exec(received.slice(at))?.[1] ?? '',
  }
}

function request(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body: string | Buffer = '',
): Buffer {
  const all = {
    host: 'kubernetes',
    connection: 'close',
    ...(body.length > 0 && { 'content-length': String(body.length) }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), Buffer.from(body)])
}

const json = { 'content-type': 'application/json' }
const maps = '/api/v1/namespaces/default/configmaps'
const nested = (depth: number): string =>
  `{"metadata":{"name":"deep","annotations":${'['.repeat(depth)}${']'.repeat(depth)}}}`
const large = (bytes: number): string => JSON.stringify({ metadata: { name: 'large' }, data: { a: 'x'.repeat(bytes) } })

const status = (code: number, reason: string): Told => ({ code, contentType: 'application/json', reason })
const plain = (code: number): Told => ({ code, contentType: 'text/plain; charset=utf-8', reason: '' })
const fine: Told = { code: 200, contentType: 'application/json', reason: '' }

type Case = readonly [what: string, bytes: Buffer, told: Told]

const bodies: readonly Case[] = [
  ['JSON that ends too soon', request('POST', maps, json, '{"a":'), status(400, 'BadRequest')],
  [
    'JSON that is no UTF-8',
    request('POST', maps, json, Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
    status(400, 'BadRequest'),
  ],
  ['an array', request('POST', maps, json, '[]'), status(400, 'BadRequest')],
  ['nothing', request('POST', maps, json), status(400, 'BadRequest')],
  [
    '2 MB, more than an object may hold',
    request('POST', `${maps}?dryRun=All`, json, large(2_000_000)),
    status(422, 'Invalid'),
  ],
  ['20,000 levels', request('POST', maps, json, nested(20_000)), status(400, 'BadRequest')],
  ['500 levels where one is expected', request('POST', maps, json, nested(500)), status(400, 'BadRequest')],
  [
    'a kind called __proto__',
    request('POST', maps, json, '{"kind":"__proto__","apiVersion":"constructor"}'),
    status(400, 'BadRequest'),
  ],
  ['a name that climbs', request('POST', maps, json, '{"metadata":{"name":"../x"}}'), status(422, 'Invalid')],
  [
    'a patch that is an array',
    request('PATCH', `${maps}/kube-root-ca.crt`, { 'content-type': 'application/merge-patch+json' }, '[]'),
    status(400, 'BadRequest'),
  ],
  [
    'a namespace that cannot be',
    request('POST', '/api/v1/namespaces/Foo_Bar/configmaps', json, '{"metadata":{"name":"x"}}'),
    status(404, 'NotFound'),
  ],
]

const types: readonly Case[] = [
  ['text', request('POST', maps, { 'content-type': 'text/plain' }, '{}'), status(415, 'UnsupportedMediaType')],
  ['a type that is none', request('POST', maps, { 'content-type': ';;' }, '{}'), status(415, 'UnsupportedMediaType')],
  ['JSON as a patch', request('PATCH', `${maps}/x`, json, '{}'), status(415, 'UnsupportedMediaType')],
  ['no type at all', request('POST', `${maps}?dryRun=All`, {}, '{"metadata":{"name":"x"}}'), { ...fine, code: 201 }],
  ['pictures, please', request('GET', maps, { accept: 'image/png' }), status(406, 'NotAcceptable')],
]

const paths: readonly Case[] = [
  ['dots', request('GET', '/api/v1/namespaces/default/../../secrets'), status(404, 'NotFound')],
  ['a name of one dot', request('GET', `${maps}/.`), status(400, 'BadRequest')],
  ['a name of two dots', request('GET', `${maps}/..`), status(400, 'BadRequest')],
  ['the same, escaped', request('GET', `${maps}/%2e%2e`), status(400, 'BadRequest')],
  ['a namespace of two dots', request('GET', '/api/v1/namespaces/%2e%2e/secrets'), status(500, '')],
  ['double slashes', request('GET', '//api//v1//namespaces'), plain(404)],
  ['a slash that is escaped', request('GET', `${maps}/a%2Fb`), status(404, 'NotFound')],
  ['a zero byte', request('GET', `${maps}/a%00b`), status(404, 'NotFound')],
  ['an escape that is none', request('GET', `${maps}/a%zz`), plain(400)],
  ['20,000 letters', request('GET', `${maps}/${'a'.repeat(20_000)}`), status(404, 'NotFound')],
  ['capital letters', request('GET', `${maps}/ABC`), status(404, 'NotFound')],
  ['another case of api', request('GET', '/API/v1'), plain(404)],
  ['a whole address', request('GET', 'https://elsewhere.example/api'), fine],
  ['a namespace that cannot be', request('GET', '/api/v1/namespaces/Foo_Bar/configmaps'), fine],
]

const parameters: readonly Case[] = [
  ['a limit below zero', request('GET', `${maps}?limit=-1`), fine],
  ['a limit that is a word', request('GET', `${maps}?limit=many`), status(400, 'BadRequest')],
  ['an escape that is none', request('GET', `${maps}?a=%zz&b`), fine],
  ['a watch that is perhaps one', request('GET', `${maps}?watch=maybe&timeoutSeconds=1`), fine],
  ['a continue token that is none', request('GET', `${maps}?continue=%F0%9F%94%91`), status(400, 'BadRequest')],
  [
    'a selector of 50,000 letters',
    request('GET', `${maps}?labelSelector=${'a'.repeat(50_000)}`),
    status(400, 'BadRequest'),
  ],
]

const protocol: readonly Case[] = [
  ['TRACE', request('TRACE', maps), status(405, 'MethodNotAllowed')],
  ['CONNECT', request('CONNECT', maps), status(405, 'MethodNotAllowed')],
  ['no host', Buffer.from('GET /api HTTP/1.1\r\nconnection: close\r\n\r\n'), plain(400)],
  ['HTTP/1.0', Buffer.from('GET /livez HTTP/1.0\r\n\r\n'), plain(200)],
  ['words', Buffer.from('hello world\r\n\r\n'), plain(400)],
  ['a header of 2 MB', request('GET', '/livez', { 'x-a': 'a'.repeat(2_000_000) }), plain(431)],
  ['a header of 60 KB', request('GET', '/livez', { 'x-a': 'a'.repeat(60_000) }), plain(200)],
  [
    'a group to be in without a user to be',
    request('GET', '/api', { 'impersonate-group': 'x' }),
    status(400, 'BadRequest'),
  ],
]

const strangers: readonly Case[] = [
  ['secrets', request('GET', '/api/v1/secrets'), status(403, 'Forbidden')],
  ['a path that is not there', request('GET', '/foo'), status(403, 'Forbidden')],
  ['the API', request('GET', '/api'), status(403, 'Forbidden')],
  [
    'anything, with a token that is none',
    request('GET', '/api', { authorization: 'Bearer abc' }),
    status(401, 'Unauthorized'),
  ],
  ['with an empty token', request('GET', '/api', { authorization: 'Bearer ' }), status(403, 'Forbidden')],
  ['with a password', request('GET', '/api', { authorization: 'Basic YTpi' }), status(403, 'Forbidden')],
  ['a write', request('POST', maps, json, '{"metadata":{"name":"x"}}'), status(403, 'Forbidden')],
]

describe('hostile requests', needsControlPlane, () => {
  const groups: readonly [string, readonly Case[], Sending?][] = [
    ['bodies', bodies],
    ['content types', types],
    ['paths', paths],
    ['parameters', parameters],
    ['bytes that are hardly HTTP', protocol],
    ['a stranger asks for', strangers, { isStranger: true }],
  ]
  for (const [group, cases, sending] of groups)
    test(`${group}: status, reason and content type are those of Kubernetes`, async (t) => {
      const plane = await startControlPlane(t)
      const isThere = async () => (await rawRequest(plane, { path: `${maps}/kube-root-ca.crt` })).code === 200
      await eventually('what a case patches is there', isThere)
      for (const [what, bytes, told] of cases) assert.deepEqual(await send(t, plane, bytes, sending), told, what)
    })

  test('a body of 4 MB or 10 MB is refused, and the server goes on', async (t) => {
    const plane = await startControlPlane(t)
    for (const body of [Buffer.alloc(10_000_000, 0x20), large(4_000_000)]) {
      const told = await send(t, plane, request('POST', maps, json, body))
      assert.ok([0, 413].includes(told.code), 'a refusal, or the end of the connection before it could be read')
    }
    assert.equal((await rawRequest(plane, { path: '/livez' })).code, 200)
  })

  test('a certificate of another authority and one that is over are nobody', async (t) => {
    const plane = await startControlPlane(t)
    const clock = systemClock
    const stranger = await createAuthority({ commonName: 'test-client-ca', clock, lifetimeMs: 3_600_000 })
    const { keyPem, publicKeyPem } = generateKey()
    const subject = { commonName: 'kubernetes-admin', organizations: ['system:masters'] }
    const terms = {
      usages: ['client'] as const,
      notBefore: clock.now(),
      notAfter: new Date(clock.now().getTime() + 3_600_000),
    }
    const certPem = await issueCertificate(stranger, { subject, publicKeyPem }, terms)
    const certificate = { certPem, keyPem: keyPem.reveal() }
    assert.deepEqual(await send(t, plane, request('GET', '/api'), { certificate }), status(401, 'Unauthorized'))
  })

  test('a token of an account that was deleted is refused', async (t) => {
    const plane = await startControlPlane(t)
    const kube = kubeClient(t, plane.connection())
    const accounts = kube.of(serviceAccounts, await freshNamespace(t, kube))
    await accounts.create(aServiceAccount('robot'))
    const { status: answer } = await accounts.createSubresource<object, { status: { token: string } }>(
      'robot',
      'token',
      {
        spec: { expirationSeconds: 600 },
      },
    )
    await accounts.delete('robot')
    const ask = () =>
      send(t, plane, request('GET', '/api', { authorization: `Bearer ${answer.token}` }), { isStranger: true })
    await eventually('it is refused', async () => (await ask()).code === 401, { everyMs: 250 })
  })

  test('clients that send slowly, or half of it, hold up nobody', async (t) => {
    const plane = await startControlPlane(t)
    const halves = [
      Buffer.from('GET /api HTTP/1.1\r\nhost: x\r\nx-slow: '),
      request('POST', maps, { ...json, 'content-length': '1000' }, '').subarray(0, -1),
      Buffer.concat([request('POST', maps, { ...json, 'content-length': '1000' }), Buffer.from('{"metadata":')]),
    ]
    for (let i = 0; i < 60; i++) open(t, plane).write(halves[i % halves.length] as Buffer)
    const startedAt = performance.now()
    for (let i = 0; i < 20; i++) assert.equal((await rawRequest(plane, { path: '/api' })).code, 200)
    assert.ok(performance.now() - startedAt < 10_000)
  })

  test('a failure tells nothing of the machine it happened on', async (t) => {
    const plane = await startControlPlane(t)
    for (const [, bytes] of [...bodies, ...paths]) {
      const socket = open(t, plane)
      let received = ''
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1')
      })
      socket.write(bytes)
      await new Promise((resolve) => socket.once('close', resolve))
      assert.doesNotMatch(received, /node_modules|\.ts:\d+|at async|ENOENT|file:\/\//)
    }
  })
})
