import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { isFailure } from '../core/failure.ts'
import type { Secret } from '../core/secret.ts'
import type { Authority } from './authority.ts'
import { createAuthority, createSelfSigned, issueCertificate } from './authority.ts'
import { generateKey } from './keys.ts'
import { joinPem, splitPem } from './pem.ts'
import { crypto, cryptoKeys, x509 } from './testing/x509.ts'
import { whyUntrusted } from './trust.ts'

const hour = 3_600_000
const clock = new FakeClock('2026-06-01T12:00:00Z')
const now = clock.now()
const later = (ms: number) => new Date(now.getTime() + ms)

interface AuthorityChanges {
  parent?: Authority
  pathLength?: number
  lifetimeMs?: number
}
const anAuthority = (commonName: string, changes: AuthorityChanges = {}) =>
  createAuthority({ commonName, clock, lifetimeMs: 24 * hour, ...changes })

const server = { usages: ['server' as const], notBefore: later(-hour), notAfter: later(hour) }
const sans = { dnsNames: ['hub.example.com', '*.west.example.com'], ipAddresses: ['10.0.0.1', '2001:db8::1'] }
const aLeaf = (authority: Authority, terms: Partial<Parameters<typeof issueCertificate>[2]> = {}) =>
  issueCertificate(
    authority,
    { subject: { commonName: 'cn.example.com' }, publicKeyPem: generateKey().publicKeyPem, sans },
    { ...server, ...terms },
  )

const root = await anAuthority('root')
const middle = await anAuthority('middle', { parent: root })
const leaf = await aLeaf(middle)

/** An authority or leaf as createAuthority would never make it, issued by `issuer` or by itself. */
async function anOddOne(
  commonName: string,
  extensions: x509.Extension[],
  issuer?: Authority,
  { hash = 'SHA-256', keyPem = generateKey().keyPem }: { hash?: string; keyPem?: Secret } = {},
): Promise<Authority> {
  const own = cryptoKeys(keyPem)
  const signer = issuer ? cryptoKeys(issuer.keyPem) : own
  const certificate = await x509.X509CertificateGenerator.create(
    {
      subject: [{ CN: [commonName] }],
      issuer: issuer ? new x509.X509Certificate(issuer.certPem).subjectName : [{ CN: [commonName] }],
      notBefore: later(-hour),
      notAfter: later(hour),
      publicKey: own.publicKey,
      signingKey: signer.privateKey,
      signingAlgorithm: { name: 'ECDSA', hash },
      extensions,
    },
    crypto,
  )
  return { certPem: joinPem([{ label: 'CERTIFICATE', der: Buffer.from(certificate.rawData) }]), keyPem }
}
const ca = () => new x509.BasicConstraintsExtension(true, undefined, true)

test('a leaf is trusted through its intermediate, in whatever order and company the chain comes', async () => {
  const stranger = await anAuthority('stranger')
  assert.equal(whyUntrusted(leaf + middle.certPem, root.certPem, now), undefined)
  assert.equal(whyUntrusted(leaf + root.certPem + stranger.certPem + middle.certPem, root.certPem, now), undefined)
  assert.equal(whyUntrusted(leaf + middle.certPem, stranger.certPem + root.certPem, now), undefined)
})

test('a certificate that cannot be read is passed over, unless it is the first of the chain', () => {
  const unreadable = joinPem([{ label: 'CERTIFICATE', der: Buffer.of(48, 3, 2, 1, 1) }])
  assert.equal(whyUntrusted(leaf + unreadable + middle.certPem, unreadable + root.certPem, now), undefined)
  assert.equal(whyUntrusted(leaf + middle.certPem, unreadable, now), 'IssuerUnknown')
  assert.throws(
    () => whyUntrusted(unreadable + leaf, root.certPem, now),
    (error) => isFailure(error, 'PKI_CERTIFICATE_INVALID'),
  )
})

test('without the intermediate no path leads to the root', () => {
  assert.equal(whyUntrusted(leaf, root.certPem, now), 'IssuerUnknown')
})

test('an intermediate, and even the leaf itself, may be the anchor', () => {
  assert.equal(whyUntrusted(leaf, middle.certPem, now), undefined)
  assert.equal(whyUntrusted(leaf, leaf, now), undefined)
})

test('a self-signed certificate is trusted by those who were given it', async () => {
  const self = { subject: { commonName: 'self' }, clock, lifetimeMs: hour }
  const [one, other] = [await createSelfSigned(self), await createSelfSigned(self)]
  assert.equal(whyUntrusted(one.certPem, one.certPem, now), undefined)
  assert.notEqual(whyUntrusted(one.certPem, other.certPem, now), undefined)
})

test('another authority of the same name is not the same authority', async () => {
  const impostor = await anAuthority('middle')
  assert.equal(whyUntrusted(leaf, impostor.certPem, now), 'SignatureInvalid')
  assert.equal(whyUntrusted(leaf + middle.certPem, impostor.certPem + root.certPem, now), undefined)
})

test('authorities are compared by their whole name', async () => {
  const cluster1 = await anAuthority('cluster1')
  const cluster10 = await anAuthority('cluster10')
  assert.equal(whyUntrusted(await aLeaf(cluster10), cluster1.certPem, now), 'IssuerUnknown')
})

test('the dates of every certificate on the path count, to the second', async () => {
  const chain = leaf + middle.certPem
  assert.equal(whyUntrusted(chain, root.certPem, later(hour)), undefined)
  assert.equal(whyUntrusted(chain, root.certPem, later(hour + 1)), 'CertificateExpired')
  assert.equal(whyUntrusted(chain, root.certPem, later(-5 * 60_000)), undefined)
  assert.equal(whyUntrusted(chain, root.certPem, later(-5 * 60_000 - 1)), 'CertificateNotYetValid')
  assert.equal(whyUntrusted(leaf, leaf, later(-2 * hour)), 'CertificateNotYetValid')
  const shortRoot = await anAuthority('short', { lifetimeMs: 60_000 })
  const outliving = await anOddOne('outliving', [], shortRoot)
  assert.equal(whyUntrusted(outliving.certPem, shortRoot.certPem, later(60_001)), 'CertificateExpired')
})

test('a leaf cannot issue', async () => {
  const self = await createSelfSigned({ subject: { commonName: 'leaf' }, clock, lifetimeMs: hour })
  const below = await anOddOne('below', [], self)
  assert.equal(whyUntrusted(below.certPem, self.certPem, now), 'IssuerNotAuthority')
})

test('an authority whose key may not sign certificates cannot issue', async () => {
  const mute = await anOddOne('mute', [ca(), new x509.KeyUsagesExtension(x509.KeyUsageFlags.cRLSign, true)])
  assert.equal(whyUntrusted((await anOddOne('a', [], mute)).certPem, mute.certPem, now), 'IssuerNotAuthority')
})

test('a path is no longer than its authorities allow', async () => {
  const deeper = await anOddOne('deeper', [ca()], middle)
  const tooDeep = await anOddOne('a', [], deeper)
  assert.equal(whyUntrusted(tooDeep.certPem + deeper.certPem + middle.certPem, root.certPem, now), 'PathTooLong')
  const wide = await anAuthority('wide', { parent: root, pathLength: 1 })
  const below = await anAuthority('below', { parent: wide })
  assert.equal(whyUntrusted((await aLeaf(below)) + below.certPem + wide.certPem, root.certPem, now), undefined)
})

test('a changed signature is noticed', () => {
  const der = Buffer.from(splitPem(leaf)[0]?.der ?? '')
  der[der.length - 1] = (der.at(-1) ?? 0) ^ 1
  const changed = joinPem([{ label: 'CERTIFICATE', der }])
  assert.equal(whyUntrusted(changed + middle.certPem, root.certPem, now), 'SignatureInvalid')
})

test('a signature with SHA-1 is too weak', async () => {
  const weak = await anOddOne('weak', [], root, { hash: 'SHA-1' })
  assert.equal(whyUntrusted(weak.certPem, root.certPem, now), 'SignatureTooWeak')
})

test('the purpose must be allowed all the way up', async () => {
  const chain = leaf + middle.certPem
  assert.equal(whyUntrusted(chain, root.certPem, now, { usage: 'server' }), undefined)
  assert.equal(whyUntrusted(chain, root.certPem, now, { usage: 'client' }), 'UsageNotAllowed')
  const clientsOnly = await anOddOne('clients', [ca(), new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.2'])], root)
  const below = await anOddOne('below', [], clientsOnly)
  const ask = (usage: 'client' | 'server') =>
    whyUntrusted(below.certPem + clientsOnly.certPem, root.certPem, now, { usage })
  assert.deepEqual([ask('client'), ask('server')], [undefined, 'UsageNotAllowed'])
})

test('what cannot be checked is not trusted', async () => {
  const unknown = await anOddOne('a', [new x509.Extension('1.2.3.4', true, Buffer.of(5, 0))], root)
  assert.equal(whyUntrusted(unknown.certPem, root.certPem, now), 'ConstraintUnsupported')
  const harmless = await anOddOne('a', [new x509.Extension('1.2.3.4', false, Buffer.of(5, 0))], root)
  assert.equal(whyUntrusted(harmless.certPem, root.certPem, now), undefined)
  const constrained = await anOddOne('c', [ca(), new x509.Extension('2.5.29.30', false, Buffer.of(48, 0))])
  const below = await anOddOne('a', [], constrained)
  assert.equal(whyUntrusted(below.certPem, constrained.certPem, now), 'ConstraintUnsupported')
})

const hostnames: Record<string, boolean> = {
  'hub.example.com': true,
  'HUB.example.com': true,
  'hub.example.com.': true,
  'hub.example.com..': false,
  '10.0.0.1.': false,
  'a.west.example.com': true,
  '10.0.0.1': true,
  '2001:db8:0::1': true,
  '[2001:db8::1]': true,
  'cn.example.com': false, // only the common name
  'example.com': false,
  'hub.example.com.evil': false,
  'xhub.example.com': false,
  'west.example.com': false,
  'a.b.west.example.com': false,
  '.west.example.com': false,
  '.example.com': false,
  '10.0.0.2': false,
  '2001:db8::2': false,
  '2001:db8::1%eth0': false,
  '': false,
  'hub.example.com\0': false,
  'hub.example.com\0.evil': false,
  'hub.example.com\n': false,
}
for (const [hostname, matches] of Object.entries(hostnames)) {
  test(`${JSON.stringify(hostname)} is ${matches ? '' : 'not '}among the names of the certificate`, () => {
    const why = whyUntrusted(leaf + middle.certPem, root.certPem, now, { hostname })
    assert.equal(why, matches ? undefined : 'HostnameMismatch')
  })
}

test('a certificate for clients does not answer for a hostname', async () => {
  const client = await aLeaf(middle, { usages: ['client'] })
  const chain = client + middle.certPem
  assert.equal(whyUntrusted(chain, root.certPem, now, { hostname: 'hub.example.com' }), 'UsageNotAllowed')
  assert.equal(whyUntrusted(chain, root.certPem, now, { hostname: 'hub.example.com', usage: 'client' }), undefined)
})

test('a chain made to keep us busy is given up on', async () => {
  const { keyPem } = generateKey()
  const twins = await Promise.all(Array.from({ length: 30 }, () => anOddOne('twin', [ca()], undefined, { keyPem })))
  const chain = [await anOddOne('below', [], twins[0]), ...twins].map(({ certPem }) => certPem).join('')
  assert.equal(whyUntrusted(chain, root.certPem, now), 'PathTooLong')
})

test('what is not a chain, or not a bundle of authorities, is refused', () => {
  assert.throws(
    () => whyUntrusted('', root.certPem, now),
    (error) => isFailure(error, 'PKI_PEM_MISSING'),
  )
  assert.throws(
    () => whyUntrusted(leaf, root.certPem + root.keyPem.reveal(), now),
    (error) => isFailure(error, 'PKI_PEM_MISSING'),
  )
})
