import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { test } from 'node:test'
import type { TLSSocket } from 'node:tls'
import tls from 'node:tls'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { systemClock } from '../core/clock.ts'
import { isFailure } from '../core/failure.ts'
import { createAuthority, createSelfSigned, issueCertificate } from './authority.ts'
import { readCertificate } from './certificate.ts'
import { generateKey, keyMatches } from './keys.ts'
import { createRequest, readRequest } from './request.ts'
import { whyUntrusted } from './trust.ts'

const hour = 3_600_000
const clock = new FakeClock('2026-06-01T12:00:00Z')
const now = clock.now()
const later = (ms: number) => new Date(now.getTime() + ms)
const hub = await createAuthority({ commonName: 'hub', clock, lifetimeMs: 24 * hour })
const terms = { usages: ['client' as const], notBefore: later(-5 * 60_000), notAfter: later(hour) }
const holder = (commonName: string) => ({ subject: { commonName }, publicKeyPem: generateKey().publicKeyPem })

const failsWith = (code: string) => (error: unknown) => isFailure(error, code)

test('a new authority has been valid for five minutes, for clocks that are behind', () => {
  const { notBefore, notAfter, isCa, pathLength } = readCertificate(hub.certPem)
  assert.deepEqual(
    { notBefore, notAfter, isCa, pathLength },
    { notBefore: later(-5 * 60_000), notAfter: later(24 * hour), isCa: true, pathLength: undefined },
  )
  assert.ok(keyMatches(hub.certPem, hub.keyPem))
})

test('a certificate carries what the request says, and is trusted', async () => {
  const { keyPem } = generateKey()
  const subject = { commonName: 'system:node:a', organizations: ['system:nodes', 'b'], organizationalUnits: ['c'] }
  const request = readRequest(await createRequest({ keyPem, subject, sans: { dnsNames: ['a.example'] } }))
  const certPem = await issueCertificate(hub, request, terms)
  const certificate = readCertificate(certPem)
  assert.deepEqual(certificate.subject, { ...subject, others: [] })
  assert.deepEqual(certificate.sans, request.sans)
  assert.ok(keyMatches(certPem, keyPem))
  assert.equal(whyUntrusted(certPem, hub.certPem, now, { usage: 'client' }), undefined)
})

test('a request not signed by its own key gets nothing', async () => {
  const request = readRequest(await createRequest({ keyPem: generateKey().keyPem, subject: { commonName: 'a' } }))
  await assert.rejects(
    issueCertificate(hub, { ...request, signatureValid: false }, terms),
    failsWith('PKI_REQUEST_SIGNATURE'),
  )
})

test('a certificate ends with its authority at the latest', async () => {
  const pem = await issueCertificate(hub, holder('a'), { ...terms, notAfter: later(1000 * hour) })
  assert.deepEqual(readCertificate(pem).notAfter, later(24 * hour))
})

test('a certificate that would end before it begins is not made', async () => {
  const backwards = { ...terms, notBefore: later(hour), notAfter: later(0) }
  await assert.rejects(issueCertificate(hub, holder('a'), backwards), failsWith('PKI_LIFETIME_INVALID'))
  const afterTheEnd = { ...terms, notBefore: later(25 * hour), notAfter: later(26 * hour) }
  await assert.rejects(issueCertificate(hub, holder('a'), afterTheEnd), failsWith('PKI_LIFETIME_INVALID'))
})

test('no two serial numbers are alike', async () => {
  const serials = await Promise.all(
    Array.from({ length: 50 }, async () => readCertificate(await issueCertificate(hub, holder('a'), terms)).serial),
  )
  assert.equal(new Set(serials).size, 50)
})

test('who is no authority cannot issue', async () => {
  const leaf = await createSelfSigned({ subject: { commonName: 'leaf' }, clock, lifetimeMs: hour })
  await assert.rejects(issueCertificate(leaf, holder('a'), terms), /leaf cannot issue certificates: it is not/)
  const stranger = { certPem: hub.certPem, keyPem: generateKey().keyPem }
  await assert.rejects(issueCertificate(stranger, holder('a'), terms), failsWith('PKI_AUTHORITY_UNSUITABLE'))
})

test('an intermediate issues under its root, one step deep unless told otherwise', async () => {
  const middle = await createAuthority({ commonName: 'middle', clock, lifetimeMs: hour, parent: hub })
  const leaf = await issueCertificate(middle, holder('a'), terms)
  assert.equal(readCertificate(middle.certPem).pathLength, 0)
  assert.equal(whyUntrusted(leaf + middle.certPem, hub.certPem, now), undefined)
  assert.equal(whyUntrusted(leaf, hub.certPem, now), 'IssuerUnknown')
})

test('an authority that allows none below it makes none', async () => {
  const middle = await createAuthority({ commonName: 'middle', clock, lifetimeMs: hour, parent: hub })
  await assert.rejects(
    createAuthority({ commonName: 'below', clock, lifetimeMs: hour, parent: middle }),
    failsWith('PKI_AUTHORITY_UNSUITABLE'),
  )
})

test('an authority whose name has odd characters is found again by name', async () => {
  const odd = await createAuthority({ commonName: '#1, "CN=ü"+x\\ ', clock, lifetimeMs: hour })
  const leaf = await issueCertificate(odd, holder('a'), terms)
  assert.equal(whyUntrusted(leaf, odd.certPem, now), undefined)
})

test('keys of other kinds get certificates', async () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const pem = await issueCertificate(hub, { subject: { commonName: 'rsa' }, publicKeyPem }, terms)
  assert.equal(whyUntrusted(pem, hub.certPem, now), undefined)
})

test('a certificate may have alternative names only', async () => {
  const { publicKeyPem } = generateKey()
  const sans = { dnsNames: ['a.example'] }
  const pem = await issueCertificate(hub, { subject: { commonName: '' }, publicKeyPem, sans }, terms)
  assert.equal(readCertificate(pem).subject.commonName, '')
  assert.equal(whyUntrusted(pem, hub.certPem, now, { hostname: 'a.example', usage: 'client' }), undefined)
})

test('Node’s TLS accepts both sides: a self-signed server, a client under an intermediate', async (t) => {
  const day = { clock: systemClock, lifetimeMs: 24 * hour }
  const server = await createSelfSigned({
    subject: { commonName: 'server' },
    sans: { ipAddresses: ['127.0.0.1'] },
    ...day,
  })
  const root = await createAuthority({ commonName: 'root', ...day })
  const middle = await createAuthority({ commonName: 'middle', parent: root, ...day })
  const client = generateKey()
  const { notBefore, notAfter } = readCertificate(middle.certPem)
  const clientPem = await issueCertificate(
    middle,
    { subject: { commonName: 'agent', organizations: ['a'] }, publicKeyPem: client.publicKeyPem },
    { usages: ['client'], notBefore, notAfter },
  )
  const listener = tls.createServer({
    cert: server.certPem,
    key: server.keyPem.reveal(),
    ca: root.certPem,
    requestCert: true,
    rejectUnauthorized: true,
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  t.after(() => listener.close())
  const address = listener.address()
  assert.ok(address && typeof address === 'object')
  const socket = tls.connect({
    host: '127.0.0.1',
    port: address.port,
    ca: server.certPem,
    cert: clientPem + middle.certPem,
    key: client.keyPem.reveal(),
  })
  t.after(() => socket.destroy())
  const [accepted] = (await once(listener, 'secureConnection')) as [TLSSocket]
  t.after(() => accepted.destroy())
  assert.equal(accepted.getPeerX509Certificate()?.toLegacyObject().subject.CN, 'agent')
})
