import assert from 'node:assert/strict'
import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { isFailure } from '../core/failure.ts'
import { Secret } from '../core/secret.ts'
import { createSelfSigned } from './authority.ts'
import { generateKey, keyMatches, publicKeyDigest, publicKeyOf } from './keys.ts'
import { joinPem, splitPem } from './pem.ts'

const aCertificate = () =>
  createSelfSigned({ subject: { commonName: 'a' }, clock: new FakeClock(), lifetimeMs: 60_000 })

test('a new key is EC P-256 in PKCS#8, and no two are alike', () => {
  const [one, other] = [generateKey(), generateKey()]
  const key = createPrivateKey(one.keyPem.reveal())
  assert.equal(key.asymmetricKeyDetails?.namedCurve, 'prime256v1')
  assert.equal(splitPem(one.keyPem.reveal())[0]?.label, 'PRIVATE KEY')
  assert.ok(!one.keyPem.equals(other.keyPem))
})

test('a key pair does not show its private half', () => {
  const pair = generateKey()
  const body = pair.keyPem.reveal().split('\n')[1] ?? ''
  assert.ok(!inspect(pair).includes(body))
  assert.ok(!JSON.stringify(pair).includes(body))
})

test('the digest is that of the public half', () => {
  const { keyPem, publicKeyPem } = generateKey()
  const [spki] = splitPem(publicKeyPem)
  assert.equal(publicKeyOf(keyPem), publicKeyPem)
  assert.equal(
    publicKeyDigest(keyPem),
    createHash('sha256')
      .update(spki?.der ?? '')
      .digest('hex'),
  )
})

test('the digest of a key is the same however the key is written', () => {
  const { keyPem } = generateKey()
  const sec1 = createPrivateKey(keyPem.reveal()).export({ type: 'sec1', format: 'pem' }).toString()
  const parameters = joinPem([{ label: 'EC PARAMETERS', der: Buffer.from('06082a8648ce3d030107', 'hex') }])
  for (const written of [sec1, parameters + sec1, `Bag Attributes\r\n${sec1.replaceAll('\n', '\r\n')}`]) {
    assert.equal(publicKeyDigest(Secret.of(written)), publicKeyDigest(keyPem))
  }
})

test('RSA keys are read in both their encodings', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const digests = (['pkcs1', 'pkcs8'] as const).map((type) =>
    publicKeyDigest(Secret.of(privateKey.export({ type, format: 'pem' }).toString())),
  )
  assert.equal(digests[0], digests[1])
})

test('a certificate matches its own key and no other', async () => {
  const [one, other] = [await aCertificate(), await aCertificate()]
  assert.equal(keyMatches(one.certPem, one.keyPem), true)
  assert.equal(keyMatches(one.certPem, other.keyPem), false)
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  assert.equal(keyMatches(one.certPem, Secret.of(rsa.export({ type: 'pkcs8', format: 'pem' }).toString())), false)
})

test('of a chain the first certificate counts', async () => {
  const [leaf, above] = [await aCertificate(), await aCertificate()]
  assert.equal(keyMatches(leaf.certPem + above.certPem, leaf.keyPem), true)
  assert.equal(keyMatches(leaf.certPem + above.certPem, above.keyPem), false)
})

test('what is not a private key is refused without being repeated', async () => {
  const { keyPem, publicKeyPem } = generateKey()
  const encrypted = createPrivateKey(keyPem.reveal()).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'p',
  })
  const junk = joinPem([{ label: 'PRIVATE KEY', der: Buffer.from('canary') }])
  for (const text of ['', 'canary', publicKeyPem, junk, encrypted.toString()]) {
    assert.throws(
      () => publicKeyOf(Secret.of(text)),
      (error) => isFailure(error, 'PKI_KEY_UNREADABLE') && !inspect(error).includes('canary'),
    )
  }
})

test('what is not a certificate matches nothing: it is refused', () => {
  const junk = joinPem([{ label: 'CERTIFICATE', der: Buffer.from('junk') }])
  assert.throws(
    () => keyMatches(junk, generateKey().keyPem),
    (error) => isFailure(error, 'PKI_CERTIFICATE_INVALID'),
  )
})
