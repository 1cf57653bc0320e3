import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { createAuthority, createSelfSigned, issueCertificate } from './authority.ts'
import { generateKey } from './keys.ts'
import { crypto, x509 } from './testing/x509.ts'

const hour = 3_600_000
const clock = new FakeClock('2026-06-01T12:00:00Z')
const now = clock.now()
const root = await createAuthority({ commonName: 'root "ü"', clock, lifetimeMs: 24 * hour })
const middle = await createAuthority({ commonName: 'middle', clock, lifetimeMs: hour, parent: root })
const { publicKeyPem } = generateKey()
const holder = { subject: { commonName: 'agent', organizations: ['b', 'a'] }, publicKeyPem }
const terms = { usages: ['client' as const], notBefore: now, notAfter: new Date(now.getTime() + hour) }
const leaf = await issueCertificate(middle, { ...holder, sans: { dnsNames: ['a.example'] } }, terms)
const read = (pem: string) => new x509.X509Certificate(pem)
const { digitalSignature, keyEncipherment, keyCertSign, cRLSign } = x509.KeyUsageFlags

test('another reader follows the chain by names, key identifiers and signatures', async () => {
  for (const [below, above] of [
    [leaf, middle.certPem],
    [middle.certPem, root.certPem],
    [root.certPem, root.certPem],
  ].map((pair) => pair.map(read))) {
    assert.ok(below && above)
    assert.equal(below.issuer, above.subject)
    assert.equal(await below.verify({ publicKey: above.publicKey, signatureOnly: true }, crypto), true)
    const authority = below.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId
    const own = above.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId
    assert.equal(own, Buffer.from(await above.publicKey.getKeyIdentifier(crypto)).toString('hex'))
    assert.equal(authority, below === above || below.subject === below.issuer ? undefined : own)
  }
})

test('it reads the same extensions, with the same weight', () => {
  const [authority, client] = [read(middle.certPem), read(leaf)]
  const basic = (certificate: x509.X509Certificate) => {
    const { ca, pathLength, critical } = certificate.getExtension(x509.BasicConstraintsExtension) ?? {}
    return { ca, pathLength, critical }
  }
  const flags = (certificate: x509.X509Certificate) => {
    const { usages, critical } = certificate.getExtension(x509.KeyUsagesExtension) ?? {}
    return { usages, critical }
  }
  assert.deepEqual(basic(authority), { ca: true, pathLength: 0, critical: true })
  assert.deepEqual(basic(client), { ca: false, pathLength: undefined, critical: true })
  assert.deepEqual(flags(authority), { usages: digitalSignature | keyCertSign | cRLSign, critical: true })
  assert.deepEqual(flags(client), { usages: digitalSignature, critical: true })
  const usages = client.getExtension(x509.ExtendedKeyUsageExtension)?.usages ?? []
  assert.deepEqual([...usages], [x509.ExtendedKeyUsage.clientAuth])
  const names = client.getExtension(x509.SubjectAlternativeNameExtension)
  assert.deepEqual(names?.names.toJSON(), [{ type: 'dns', value: 'a.example' }])
  assert.equal(names?.critical, false)
})

test('key usages are those that were asked for; alternative names weigh more where there is no subject', async () => {
  const nameless = { subject: { commonName: '' }, publicKeyPem, sans: { dnsNames: ['a.example'] } }
  const asked = { ...terms, keyUsages: ['digitalSignature', 'keyEncipherment'] as const }
  const certificate = read(await issueCertificate(root, nameless, asked))
  const { usages } = certificate.getExtension(x509.KeyUsagesExtension) ?? {}
  assert.equal(usages, digitalSignature | keyEncipherment)
  assert.equal(certificate.getExtension(x509.SubjectAlternativeNameExtension)?.critical, true)
  const bare = read(await issueCertificate(root, nameless, { ...terms, keyUsages: [] }))
  assert.equal(bare.getExtension(x509.KeyUsagesExtension), null)
})

test('a certificate that signs itself is its own issuer', async () => {
  const subject = { commonName: 'self' }
  const { certPem } = await createSelfSigned({ subject, clock, lifetimeMs: hour })
  const self = read(certPem)
  assert.equal(await self.isSelfSigned(crypto), true)
  assert.equal(self.notAfter.getTime(), now.getTime() + hour)
})
