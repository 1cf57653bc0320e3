import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { rootCertificates } from 'node:tls'
import { generateKey, publicKeyDigest, readCertificate, whyUntrusted } from './index.ts'
import { loadX509 } from './x509.ts'

const encoderIsLoaded = () =>
  Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('@peculiar/x509'))

test('making keys and reading certificates does not load the encoder; the first thing encoded does', async () => {
  const [pem = ''] = rootCertificates
  publicKeyDigest(generateKey().keyPem)
  whyUntrusted(pem, pem, readCertificate(pem).notBefore)
  assert.equal(encoderIsLoaded(), false)
  await loadX509()
  assert.equal(encoderIsLoaded(), true)
})
