import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createServer as createNetServer } from 'node:net'
import { test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { createServer as createTlsServer } from 'node:tls'
import { inspect } from 'node:util'
import { eventually } from '../../../test/support/eventually.ts'
import { systemClock } from '../../core/clock.ts'
import { Secret } from '../../core/secret.ts'
import { createSelfSigned } from '../../pki/index.ts'
import { dial } from './dial.ts'
import { Guard } from './guard.ts'
import { secureContextOf } from './identity.ts'
import { targetOf } from './target.ts'
import type { Handler } from './testing/api.ts'
import { startApi } from './testing/api.ts'
import { testAuthority } from './testing/certificates.ts'
import { aConfigMap, configMaps } from './testing/kinds.ts'
import { startProxy } from './testing/proxy.ts'

const answered: Handler = (asked) => asked.json(200, aConfigMap('a'))

test('a server of an unknown authority is refused at once, in words that help', async (t) => {
  const api = await startApi(t, answered)
  const { caPem } = await testAuthority('another')
  await assert.rejects(
    api
      .client({}, { tls: { ca: caPem } })
      .of(configMaps, 'here')
      .get('a'),
    {
      code: 'KUBE_UNTRUSTED',
      message: /^the certificate of https:.* is not trusted: .*; check the CA and the server name of this connection$/,
    },
  )
  await assert.rejects(api.client({}, { tls: {} }).of(configMaps, 'here').get('a'), { code: 'KUBE_UNTRUSTED' })
  // Each was tried once: to try again makes nobody trustworthy.
  assert.deepEqual([api.accepted.length, api.asked.length], [2, 0])
})

test('insecureSkipVerify takes whoever answers', async (t) => {
  const api = await startApi(t, answered)
  await api
    .client({}, { tls: { insecureSkipVerify: true } })
    .of(configMaps, 'here')
    .get('a')
})

test('a leaf given as CA is trusted as itself, self-signed or not', async (t) => {
  const sans = { ipAddresses: ['127.0.0.1'] }
  const real = await testAuthority()
  const issued = await real.server(sans)
  const own = await createSelfSigned({ subject: { commonName: 'x' }, sans, clock: systemClock, lifetimeMs: 3_600_000 })
  for (const certificate of [issued, own]) {
    const api = await startApi(t, answered, { authority: { ...real, server: async () => certificate } })
    await api
      .client({}, { tls: { ca: certificate.certPem } })
      .of(configMaps, 'here')
      .get('a')
    const other = await real.server(sans)
    const stranger = api.client({}, { tls: { ca: other.certPem } })
    await assert.rejects(stranger.of(configMaps, 'here').get('a'), { code: 'KUBE_UNTRUSTED' })
  }
})

test('the name in the certificate is checked, against serverName where one is given', async (t) => {
  const api = await startApi(t, answered, { sans: { dnsNames: ['api.example'] } })
  const ca = api.authority.caPem
  const get = (tls: object) =>
    api
      .client({}, { tls: { ca, ...tls } })
      .of(configMaps, 'here')
      .get('a')
  await get({ serverName: 'api.example' })
  await assert.rejects(get({}), { code: 'KUBE_UNTRUSTED' })
  await assert.rejects(get({ serverName: 'api.example.com' }), { code: 'KUBE_UNTRUSTED' })
})

test('the common name of a certificate is no name of its server, nor of a proxy', async (t) => {
  const authority = await testAuthority()
  const named = { subject: { commonName: 'localhost' }, clock: systemClock, lifetimeMs: 3_600_000 }
  const certificate = await createSelfSigned(named)
  const nameless = await startApi(t, answered, { authority: { ...authority, server: async () => certificate } })
  const server = nameless.url.replace('127.0.0.1', 'localhost')
  const client = nameless.client({}, { server, tls: { ca: certificate.certPem } })
  await assert.rejects(client.of(configMaps, 'here').get('a'), { code: 'KUBE_UNTRUSTED' })
  const api = await startApi(t, answered)
  const proxy = await startProxy(t, { certificate })
  const proxyUrl = Secret.of(`https://${proxy.host.replace('127.0.0.1', 'localhost')}`)
  const through = api.client({}, { proxyUrl, proxyCa: certificate.certPem })
  await assert.rejects(through.of(configMaps, 'here').get('a'), { code: 'KUBE_UNTRUSTED' })
  assert.deepEqual(proxy.seen, [])
})

test('serverName is sent as SNI, an address never is', async (t) => {
  const authority = await testAuthority()
  const { certPem, keyPem } = await authority.server({
    dnsNames: ['api.example', 'localhost'],
    ipAddresses: ['10.0.0.1', '127.0.0.1'],
  })
  const names: unknown[] = []
  const server = createTlsServer(
    { cert: certPem, key: keyPem.reveal(), ALPNProtocols: ['h2'] },
    (socket: TLSSocket) => {
      names.push(socket.servername)
      socket.destroy()
    },
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => void server.close())
  const { port } = server.address() as AddressInfo
  const context = secureContextOf({ ca: authority.caPem, certificate: undefined })
  const nameSent = async (host: string, serverName?: string) => {
    using guard = new Guard(systemClock, 5_000)
    const target = targetOf({ server: `https://${host}:${port}` })
    const dialing = { target, context, serverName, insecure: false, proxyCa: undefined, egress: undefined }
    await dial(dialing, ['h2'], guard)
    return eventually('the server has noted it', () => names.splice(0).map((name) => ({ name }))[0])
  }
  assert.deepEqual(await nameSent('127.0.0.1', 'api.example'), { name: 'api.example' })
  assert.deepEqual(await nameSent('localhost'), { name: 'localhost' })
  assert.deepEqual(await nameSent('127.0.0.1'), { name: false })
  assert.deepEqual(await nameSent('127.0.0.1', '10.0.0.1'), { name: false })
})

test('TLS 1.1 is not spoken', async (t) => {
  const authority = await testAuthority()
  const { certPem, keyPem } = await authority.server()
  const server = createTlsServer({
    cert: certPem,
    key: keyPem.reveal(),
    minVersion: 'TLSv1.1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT:@SECLEVEL=0',
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => void server.close())
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const api = await startApi(t, answered)
  const client = api.client({ options: { retries: 1 } }, { server: url, tls: { ca: authority.caPem } })
  await assert.rejects(client.request({ path: '/version' }), { code: 'KUBE_UNREACHABLE', message: /protocol version/ })
})

test('a server that is not TLS at all is reported as such', async (t) => {
  const server = createNetServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => void server.close())
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const api = await startApi(t, answered)
  const client = api.client({ options: { retries: 1 } }, { server: url })
  await assert.rejects(client.request({ path: '/version' }), { code: 'KUBE_UNREACHABLE' })
})

test('a server that agrees to HTTP/2 and then speaks something else is a lost connection', async (t) => {
  const authority = await testAuthority()
  const { certPem, keyPem } = await authority.server()
  const server = createTlsServer({ cert: certPem, key: keyPem.reveal(), ALPNProtocols: ['h2'] }, (socket) => {
    socket.on('error', () => {})
    socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => void server.close())
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const api = await startApi(t, answered)
  const client = api.client({ options: { retries: 1 } }, { server: url, tls: { ca: authority.caPem } })
  await assert.rejects(client.request({ path: '/version' }), { code: 'KUBE_UNREACHABLE' })
})

test('calls and watches go through an http proxy, which is told who asks', async (t) => {
  const api = await startApi(t, (asked) => (asked.query.has('watch') ? asked.watch().end() : answered(asked)))
  const proxy = await startProxy(t)
  const client = api.client({}, { proxyUrl: Secret.of(`http://me:p%40ss@${proxy.host}`) })
  await client.of(configMaps, 'here').get('a')
  for await (const _ of client.of(configMaps, 'here').watch()) assert.fail('there are no events')
  const line = `CONNECT ${new URL(api.url).host} Basic ${Buffer.from('me:p@ss').toString('base64')}`
  assert.deepEqual(proxy.seen, [line, line])
  assert.equal(api.asked[0]?.headers['proxy-authorization'], undefined)
})

test('an https proxy is reached by TLS of its own and verified', async (t) => {
  const api = await startApi(t, answered)
  const authority = await testAuthority('proxy-ca')
  const proxy = await startProxy(t, { certificate: await authority.server() })
  const proxyUrl = Secret.of(`https://${proxy.host}`)
  await api.client({}, { proxyUrl, proxyCa: authority.caPem }).of(configMaps, 'here').get('a')
  assert.deepEqual(proxy.seen, [`CONNECT ${new URL(api.url).host} -`])
  await assert.rejects(api.client({}, { proxyUrl }).of(configMaps, 'here').get('a'), { code: 'KUBE_UNTRUSTED' })
})

test('the server behind a proxy is verified as without one', async (t) => {
  const api = await startApi(t, answered, { sans: { dnsNames: ['elsewhere.example'] } })
  const proxy = await startProxy(t)
  const client = api.client({}, { proxyUrl: Secret.of(`http://${proxy.host}`) })
  await assert.rejects(client.of(configMaps, 'here').get('a'), { code: 'KUBE_UNTRUSTED' })
  await eventually('no tunnel is left open', () => proxy.open() === 0)
})

test('a tunnel that breaks is a lost connection like any other', async (t) => {
  const api = await startApi(t, (asked) => void asked.watch().send({ type: 'ADDED', object: aConfigMap('a') }))
  const authority = await testAuthority('proxy-ca')
  for (const certificate of [undefined, await authority.server()]) {
    const proxy = await startProxy(t, certificate && { certificate })
    const proxyUrl = Secret.of(`${certificate ? 'https' : 'http'}://${proxy.host}`)
    const client = api.client({}, { proxyUrl, proxyCa: authority.caPem })
    const watch = client.of(configMaps).watch()[Symbol.asyncIterator]()
    await watch.next()
    const lost = assert.rejects(watch.next(), { code: 'KUBE_UNREACHABLE' })
    proxy.reset()
    await lost
  }
})

test('a proxy that refuses is named, its password is not', async (t) => {
  const api = await startApi(t, answered)
  const proxy = await startProxy(t, { answer: 407 })
  const client = api.client({}, { proxyUrl: Secret.of(`http://me:canary@${proxy.host}`) })
  await assert.rejects(client.of(configMaps, 'here').get('a'), (error) => {
    assert.match((error as Error).message, new RegExp(`the proxy ${proxy.host} answered 407$`))
    assert.doesNotMatch(inspect(error, { depth: 9 }), /canary/)
    return true
  })
  assert.equal(proxy.seen.length, 1)
})
