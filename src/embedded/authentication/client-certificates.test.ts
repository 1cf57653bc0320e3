import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { after } from '../../core/clock.ts'
import { ClientCertificates } from './client-certificates.ts'
import { authorityAt, issueDer } from './testing/client-authority.ts'

async function scene() {
  const clock = new FakeClock()
  const authority = await authorityAt(clock.now())
  return { clock, authority, certificates: new ClientCertificates({ clock, caPem: authority.certPem }) }
}

const wordsOf = (verdict: ReturnType<ClientCertificates['authenticate']>) =>
  verdict && 'error' in verdict ? verdict.error : verdict

test('the common name is the user, organizations are groups in their order', async () => {
  const { clock, authority, certificates } = await scene()
  const subject = { commonName: 'jane', organizations: ['ops', 'dev'] }
  const der = await issueDer(authority, subject, { notBefore: clock.now() })
  const digest = createHash('sha256').update(der).digest('hex')
  assert.deepEqual(certificates.authenticate(der), {
    user: {
      name: 'jane',
      groups: ['ops', 'dev'],
      extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${digest}`] },
    },
    audiences: [],
  })
})

test('a certificate of an authority with the same name is refused', async () => {
  const { clock, certificates } = await scene()
  const twin = await authorityAt(clock.now())
  const der = await issueDer(twin, { commonName: 'jane' }, { notBefore: clock.now() })
  assert.equal(wordsOf(certificates.authenticate(der)), 'verifying certificate failed: SignatureInvalid')
})

test('a certificate is good from its beginning to its end, remembered or not', async () => {
  const { clock, authority, certificates } = await scene()
  const notBefore = after(clock.now(), 60_000)
  const der = await issueDer(authority, { commonName: 'jane' }, { notBefore, lifeMs: 120_000 })
  assert.equal(wordsOf(certificates.authenticate(der)), 'verifying certificate failed: CertificateNotYetValid')
  await clock.advance('60s')
  assert.ok(certificates.authenticate(der))
  await clock.advance('120s')
  assert.ok('user' in (certificates.authenticate(der) ?? {}))
  await clock.advance('1s')
  assert.equal(wordsOf(certificates.authenticate(Buffer.from(der))), 'verifying certificate failed: CertificateExpired')
})

test('a certificate for servers is refused', async () => {
  const { clock, authority, certificates } = await scene()
  const der = await issueDer(authority, { commonName: 'jane' }, { notBefore: clock.now(), usages: ['server'] })
  assert.equal(wordsOf(certificates.authenticate(der)), 'verifying certificate failed: UsageNotAllowed')
})

test('a good certificate without a common name is nobody, and no mistake', async () => {
  const { clock, authority, certificates } = await scene()
  const der = await issueDer(authority, { commonName: '', organizations: ['dev'] }, { notBefore: clock.now() })
  assert.equal(certificates.authenticate(der), undefined)
  assert.equal(certificates.authenticate(der), undefined)
})

test('what is no certificate is refused', async () => {
  const { certificates } = await scene()
  assert.match(String(wordsOf(certificates.authenticate(Buffer.from('nonsense')))), /^verifying certificate failed: /)
})
