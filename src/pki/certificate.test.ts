import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rootCertificates } from 'node:tls'
import fc from 'fast-check'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { isFailure } from '../core/failure.ts'
import { createAuthority, issueCertificate } from './authority.ts'
import { compactFingerprint, fingerprintOf, readCertificate, readCertificates } from './certificate.ts'
import { generateKey } from './keys.ts'
import { joinPem, splitPem } from './pem.ts'

const clock = new FakeClock('2026-01-01T00:00:00Z')
const day = 86_400_000
const authority = await createAuthority({ commonName: 'hub-ca', clock, lifetimeMs: 365 * day })
const { publicKeyPem } = generateKey()
const agentPem = await issueCertificate(
  authority,
  {
    subject: { commonName: 'system:open-cluster-management:west:agent', organizations: ['b', 'a'] },
    publicKeyPem,
    sans: { dnsNames: ['west.example'], ipAddresses: ['::1'] },
  },
  { usages: ['client'], notBefore: new Date('2026-01-01T00:00:00.900Z'), notAfter: new Date('2026-01-02T00:00:00Z') },
)

test('a certificate tells whose it is, whose word that is, and for how long', () => {
  const { serial, fingerprint, ...rest } = readCertificate(agentPem)
  assert.deepEqual(rest, {
    subject: {
      commonName: 'system:open-cluster-management:west:agent',
      organizations: ['b', 'a'],
      organizationalUnits: [],
      others: [],
    },
    issuer: { commonName: 'hub-ca', organizations: [], organizationalUnits: [], others: [] },
    notBefore: new Date('2026-01-01T00:00:00Z'),
    notAfter: new Date('2026-01-02T00:00:00Z'),
    isCa: false,
    pathLength: undefined,
    sans: { dnsNames: ['west.example'], ipAddresses: ['::1'], uris: [], emails: [], otherKinds: [] },
    usages: ['client'],
    publicKeyPem,
  })
  assert.match(serial, /^[4-7][0-9A-F]{31}$/)
  assert.match(fingerprint, /^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/)
})

test('the fingerprint is the same wherever it is read, and has a form for names', () => {
  assert.equal(fingerprintOf(agentPem), readCertificate(agentPem).fingerprint)
  assert.match(compactFingerprint(fingerprintOf(agentPem)), /^[0-9a-f]{64}$/)
  assert.notEqual(fingerprintOf(agentPem), fingerprintOf(authority.certPem))
})

test('of a chain the leaf is read, or all', () => {
  const chain = agentPem + authority.certPem
  assert.equal(readCertificate(chain).fingerprint, fingerprintOf(agentPem))
  assert.deepEqual(
    readCertificates(chain).map(({ subject }) => subject.commonName),
    ['system:open-cluster-management:west:agent', 'hub-ca'],
  )
})

test('dates far in the future are read', async () => {
  const old = await createAuthority({ commonName: 'old', clock, lifetimeMs: 100 * 365 * day })
  assert.equal(readCertificate(old.certPem).notAfter.getTime(), clock.now().getTime() + 100 * 365 * day)
})

test('every public root that Node ships is read', () => {
  for (const pem of rootCertificates) assert.equal(readCertificate(pem).isCa, true)
})

test('what is not a certificate is refused', () => {
  const junk = joinPem([{ label: 'CERTIFICATE', der: Buffer.from('junk') }])
  assert.throws(
    () => readCertificate(junk),
    (error) => isFailure(error, 'PKI_CERTIFICATE_INVALID'),
  )
  for (const text of ['', agentPem.replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST')]) {
    assert.throws(
      () => fingerprintOf(text),
      (error) => isFailure(error, 'PKI_PEM_MISSING'),
    )
  }
})

test('a changed certificate is read or refused, never anything else', () => {
  const der = splitPem(agentPem)[0]?.der ?? Buffer.alloc(0)
  fc.assert(
    fc.property(fc.nat(der.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Buffer.from(der)
      changed[at] = (changed[at] ?? 0) ^ change
      try {
        assert.notEqual(
          readCertificate(joinPem([{ label: 'CERTIFICATE', der: changed }])).fingerprint,
          fingerprintOf(agentPem),
        )
      } catch (error) {
        if (!isFailure(error, 'PKI_CERTIFICATE_INVALID')) throw error
      }
    }),
    { numRuns: 1000 },
  )
})
